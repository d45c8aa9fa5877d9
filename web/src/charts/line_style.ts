// Width and dash of a line. Where lines of several joints lie on each other, each remains visible: a wider one is drawn
// first and shows on both sides of a narrower one, and one of the same width shows through the gaps of a broken one.
import { JOINT_COLOURS } from "./joint_colours";
import type { LineKind } from "./types";

export interface LineStyle {
  readonly width: number;
  readonly dash: number[];
}

const BROKEN = [16, 5];
const MEASURED: readonly LineStyle[] = [
  { width: 3.5, dash: [] },
  { width: 3.5, dash: BROKEN },
  { width: 2.25, dash: [] },
  { width: 2.25, dash: BROKEN },
  { width: 1.25, dash: [] },
  { width: 1.25, dash: BROKEN },
  { width: 1.25, dash: [16, 5, 2, 5] },
];
const PLAIN: LineStyle = { width: 1.5, dash: [] };
const TWIN: LineStyle = { width: 1.75, dash: [6, 4] };
const THRESHOLD: LineStyle = { width: 1.75, dash: [1.5, 3.5] };

/**
 * Returns how a line is drawn.
 *
 * @param kind measured lines are solid or have long dashes, a twin has short dashes, a threshold is dotted.
 * @param joint from 0; -1 for a line of no joint.
 * @param alone whether only measured lines are drawn; beside a twin they are narrow, so that it is seen.
 */
export function lineStyle(kind: LineKind, joint: number, alone: boolean): LineStyle {
  if (kind !== "measured") return kind === "twin" ? TWIN : THRESHOLD;
  if (joint < 0) return PLAIN;
  const own = MEASURED[joint % JOINT_COLOURS]!;
  return alone ? own : { ...PLAIN, dash: own.dash };
}
