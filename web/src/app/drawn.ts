/** What is drawn beside a live arm: the path of its tool and its contacts. */
import type { Alarm } from "../robot/messages";
import type { ContactMark } from "../scene/types";

const MAX_POINTS = 1500;
const SHORTEST_STEP = 0.0005;
/** A contact that has ended fades for this long [s]. */
const FADE = 1;

/** The path of the tool: positions one after the other, the oldest are dropped. */
export class Trail {
  positions: number[] = [];

  clear(): void {
    this.positions = [];
  }

  /** Adds a position; returns whether it is far enough from the last one. */
  add(position: number[]): boolean {
    const [x = 0, y = 0, z = 0] = position;
    const last = this.positions.slice(-3);
    const step = last.length ? Math.hypot(x - last[0]!, y - last[1]!, z - last[2]!) : Infinity;
    if (step < SHORTEST_STEP) return false;
    this.positions = [...this.positions, x, y, z].slice(-3 * MAX_POINTS);
    return true;
  }
}

let any = false;

/** Returns the contacts at a time [s], fading after their end; null where nothing changes. */
export function contactMarks(alarms: Alarm[], t: number): ContactMark[] | null {
  const marks = alarms
    .filter(({ joint, end, time }) => joint > 0 && (end ?? t) > t - FADE && time <= t + FADE)
    .slice(-3)
    .reverse()
    .map(({ joint, torque, end }) => ({
      joint: joint - 1,
      size: torque,
      text: `${Math.abs(torque).toFixed(0)} Nm`,
      strength: end === null ? 1 : Math.min(1, Math.max(0, 1 - (t - end) / FADE)),
    }));
  const changes = marks.length > 0 || any;
  any = marks.length > 0;
  return changes ? marks : null;
}
