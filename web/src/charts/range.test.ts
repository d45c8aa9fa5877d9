import { expect, test } from "vitest";
import { dragged, isAll, panned, zoomed } from "./range";

const limits = { from: 0, to: 100 };
const shareOf = (range: { from: number; to: number }, at: number) => (at - range.from) / (range.to - range.from);

test("the time below the pointer stays there when a chart is zoomed", () => {
  const range = { from: 20, to: 40 };
  for (const factor of [0.1, 0.5, 1.5]) {
    const next = zoomed(range, 25, factor, limits);
    expect(next.to - next.from).toBeCloseTo(20 * factor, 9);
    expect(shareOf(next, 25)).toBeCloseTo(0.25, 9);
  }
});

test("zooming out and in again ends where it began, and out of everything shows everything", () => {
  const range = { from: 40, to: 60 };
  const back = zoomed(zoomed(range, 50, 2, limits), 50, 0.5, limits);
  expect(back.from).toBeCloseTo(40, 9);
  expect(isAll(zoomed(range, 50, 99, limits), limits)).toBe(true);
});

test("a range keeps its length when it is moved against an end", () => {
  expect(panned({ from: 90, to: 95 }, 50, limits)).toEqual({ from: 95, to: 100 });
  expect(panned({ from: 90, to: 95 }, -500, limits)).toEqual({ from: 0, to: 5 });
});

test("a range never gets shorter than a few samples", () => {
  const least = zoomed({ from: 1, to: 2 }, 1.5, 1e-9, limits);
  expect(least.to - least.from).toBeCloseTo(0.02, 9);
});

test("times stay below the fingers when two of them are spread or moved", () => {
  const range = { from: 20, to: 40 };
  const [before, after] = [[0.4, 0.6], [0.35, 0.75]] as const;
  const next = dragged(range, before, after, limits);
  for (const finger of [0, 1]) expect(shareOf(next, 20 + 20 * before[finger]!)).toBeCloseTo(after[finger]!, 9);
});

test("one finger pulls the chart with it", () => {
  expect(dragged({ from: 20, to: 40 }, [0.5], [0.25], limits)).toEqual({ from: 25, to: 45 });
});
