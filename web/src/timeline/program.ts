// A running program on the timeline: its length, the present time and a mark for each position.
import type { ProgramRun, Timing } from "../robot/messages";
import type { Mark } from "./Timeline.svelte";

export interface ProgramTimeline {
  readonly time: number;
  readonly end: number;
  readonly marks: readonly Mark[];
}

/** What is done now, in words. */
export function runText(run: ProgramRun, timing: Timing | null): string {
  const name = timing?.positions[run.index ?? -1]?.name;
  if (!name || !timing) return run.mode;
  const round = run.round ? `, round ${run.round + 1}` : "";
  return `${run.arrived ? "at" : run.mode === "paused" ? "paused before" : "to"} ${name}, ${run.index! + 1} of ${timing.positions.length}${round}`;
}

/** Returns the timeline; null where the plan is of another run or a duration is not known. A late arm waits at a mark. */
export function programTimeline(run: ProgramRun, timing: Timing): ProgramTimeline | null {
  const now = timing.positions[run.index ?? -1];
  const end = timing.positions.at(-1)?.end ?? null;
  if (timing.plan !== run.plan || !now || end === null || now.start === null || now.end === null) return null;
  const marks = timing.positions.map(({ name, arrival, end: leaves }) => ({ time: arrival!, end: leaves!, text: name, kind: "step" as const }));
  return { time: Math.min(now.start + run.seconds, now.end), end, marks };
}
