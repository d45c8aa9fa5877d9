import { expect, test } from "vitest";
import type { ProgramRun, Timing } from "../robot/messages";
import { programTimeline, runText } from "./program";

const timing: Timing = {
  plan: 4,
  positions: [
    { name: "home", start: 0, arrival: 2, end: 2.5 },
    { name: "above", start: 2.5, arrival: 4, end: 4 },
  ],
};
const run: ProgramRun = { mode: "running", index: 1, round: 0, arrived: false, plan: 4, seconds: 0.7 };

test("a program's length, its present time and its positions are shown when it runs", () => {
  const line = programTimeline(run, timing)!;
  expect(line.end).toBe(4);
  expect(line.time).toBeCloseTo(3.2, 9);
  expect(line.marks.map(({ time, text }) => [time, text])).toEqual([[2, "home"], [4, "above"]]);
  expect(runText(run, timing)).toBe("to above, 2 of 2");
});

test("time waits at a position when the arm is later than planned", () => {
  expect(programTimeline({ ...run, index: 0, seconds: 99 }, timing)!.time).toBe(2.5);
});

test("no times are shown when the plan is of another run or the robot times its moves itself", () => {
  expect(programTimeline({ ...run, plan: 5 }, timing)).toBeNull();
  const unknown = { ...timing, positions: timing.positions.map((position) => ({ ...position, arrival: null, end: null })) };
  expect(programTimeline(run, unknown)).toBeNull();
});
