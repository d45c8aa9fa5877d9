// The range of a revolute joint as an arc about its axis: amber near a limit, red at it.
import { DoubleSide, Group, Mesh, MeshBasicMaterial, RingGeometry } from "three";
import type { Paint } from "./colours";
import type { JointDescription } from "./types";

type Range = Pick<JointDescription, "lower" | "upper" | "near">;
/** At a limit: this share of the distance at which it is near. */
const AT = 0.2;
const TURN = 2 * Math.PI;
const [WIDTH, NEEDLE] = [0.09, 0.05];
const ORDER = 4;

/** Returns whether a joint is free, near one of its limits, or at it. */
export function limitState({ lower, upper, near }: Range, value: number): "free" | "near" | "at" {
  const left = Math.min(value - lower, upper - value);
  if (left >= near) return "free";
  return left < AT * near ? "at" : "near";
}

/** Returns the ends of the arc [rad], seen from the joint's own position: the whole range, of a range of more than a turn the half
 * turn to each side. */
export function arcEnds({ lower, upper }: Range, value: number): readonly [number, number] {
  const most = upper - lower > TURN ? TURN / 2 : TURN;
  return [Math.max(lower - value, -most), Math.min(upper - value, most)];
}

/** Returns the arc of a joint at a position, in the frame of its axis, with a needle at the position. */
export function limitArc(joint: JointDescription, value: number, radius: number, paint: Paint): Group {
  const state = limitState(joint, value);
  const colour = { free: paint.accent, near: paint.warn, at: paint.bad }[state];
  const [start, end] = arcEnds(joint, value);
  const inner = radius * (1 - (state === "free" ? WIDTH : 2 * WIDTH));
  const look = { color: colour, transparent: true, depthTest: false, side: DoubleSide, toneMapped: false };
  const steps = Math.max(Math.ceil((64 * (end - start)) / TURN), 1);
  const arc = new Mesh(new RingGeometry(inner, radius, steps, 1, start, Math.max(end - start, 1e-3)), new MeshBasicMaterial({ ...look, opacity: state === "free" ? 0.35 : 0.9 }));
  const needle = new Mesh(new RingGeometry(0.3 * radius, 1.25 * radius, 1, 1, -NEEDLE, 2 * NEEDLE), new MeshBasicMaterial({ ...look, opacity: state === "free" ? 0.6 : 1 }));
  const whole = new Group();
  whole.add(arc, needle);
  whole.traverse((child) => (child.renderOrder = ORDER));
  return whole;
}
