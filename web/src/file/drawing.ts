// Draws the state of a session into the scene.
import { withUnit } from "../charts/numbers";
import type { SceneControl } from "../scene/control";
import type { ContactMark, PathPoint, Vec3 } from "../scene/types";
import { nearestSample } from "../timeline/clock.svelte";
import type { Contact } from "./content";
import type { Session } from "./session.svelte";

const FADE = 1;
/** Length of the drawn error as a share of the reach. */
const ARROW = 0.12;

/** Draws arm and ghost at a time; the ghost is the twin with the sliders' numbers. */
export function drawState(scene: SceneControl, session: Session, time: number): void {
  const q = session.jointsAt(time);
  const free = session.mode !== "recording";
  if (session.mode === "simulation") {
    scene.setPoses(session.twin.linkPoses(q), true);
    scene.setGhostPoses(session.arm.linkPoses(session.simulation.reference()));
  } else {
    scene.setPoses(session.arm.linkPoses(q), true);
    scene.setGhostPoses(session.changed || !free ? session.twin.linkPoses(session.ghostAt(time)) : null);
  }
  scene.annotations.setContacts(free ? [] : contactsAt(session.content.contacts, time));
  drawError(scene, session, free ? null : nearestSample(session.times, time));
}

/** Returns the contacts at a time; they fade within a second after their end. */
export function contactsAt(contacts: readonly Contact[], time: number): ContactMark[] {
  return contacts.flatMap((contact) => {
    if (time < contact.time || time > contact.end + FADE) return [];
    const strength = time <= contact.end ? 1 : 1 - (time - contact.end) / FADE;
    return [{ joint: contact.joint, size: contact.torque, text: `${contact.torque.toFixed(1)} Nm`, strength }];
  });
}

function place(values: Float64Array, row: number): Vec3 {
  return [values[3 * row]!, values[3 * row + 1]!, values[3 * row + 2]!];
}

/** Returns by how much an error is magnified to be seen: a power of ten. */
export function magnification(error: number, reach: number): number {
  if (!(error > 0)) return 1;
  return 10 ** Math.max(Math.floor(Math.log10((ARROW * reach) / error)), 0);
}

function drawError(scene: SceneControl, session: Session, row: number | null): void {
  const real = session.tables?.["real.position"]?.values;
  const made = session.result?.twin["position"];
  const known = row !== null && real && made;
  drawErrorLine(scene, known ? { from: place(real, row), to: place(made, row) } : null, session.content.arm.reach);
}

/** Draws the error between the recorded tool and the twin's, magnified to be seen; nothing where there is none. */
export function drawErrorLine(scene: SceneControl, line: { readonly from: Vec3; readonly to: Vec3 } | null, reach: number): void {
  const distance = line ? Math.hypot(...line.from.map((value, k) => line.to[k]! - value)) : NaN;
  if (!line || !(distance > 0)) {
    scene.annotations.setError(null);
    scene.annotations.setMark(null);
    return;
  }
  const factor = magnification(distance, reach);
  const tip = line.from.map((value, k) => value + factor * (line.to[k]! - value)) as unknown as Vec3;
  const text = factor > 1 ? `${withUnit(distance, "m")} (x${factor.toLocaleString("en")})` : withUnit(distance, "m");
  scene.annotations.setMark(line.from);
  scene.annotations.setError({ from: line.from, to: tip, text });
}

/** Draws the recorded path coloured by the error, the twin's own path without recorded positions. Returns the top of the scale. */
export function drawPath(scene: SceneControl, session: Session): number {
  const real = session.tables?.["real.position"]?.values;
  const result = session.result;
  if (!real || !result) {
    const q = session.tables?.["q"]?.values;
    if (q?.every(Number.isFinite)) scene.annotations.setPlainPath(Array.from(session.twin.coordinates(q).position));
    return 0;
  }
  const points: PathPoint[] = [];
  let top = 0;
  result.distance.forEach((value, row) => {
    if (!Number.isFinite(value)) return;
    top = Math.max(top, value);
    points.push({ position: place(real, row), value });
  });
  scene.annotations.setPath(points, top);
  return top;
}
