// Zoom and pan of a range of time, within limits. Nothing here knows a chart.
import type { Range } from "./types";

/** The shortest range that can be zoomed to [s]; a tenth of everything where that is shorter. */
const SHORTEST = 0.02;

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Returns a range of the same length within the limits, or all of them where it is longer. */
export function within(range: Range, limits: Range): Range {
  const length = range.to - range.from;
  if (!(length < limits.to - limits.from)) return limits;
  const from = clamp(range.from, limits.from, limits.to - length);
  return { from, to: from + length };
}

/** Returns the range that is `factor` times as long, with `at` at the same place of the screen. */
export function zoomed(range: Range, at: number, factor: number, limits: Range): Range {
  const [length, all] = [range.to - range.from, limits.to - limits.from];
  const wanted = clamp(length * factor, Math.min(SHORTEST, all / 10), Math.max(all, SHORTEST));
  const share = length > 0 ? clamp((at - range.from) / length, 0, 1) : 0.5;
  const from = at - share * wanted;
  return within({ from, to: from + wanted }, limits);
}

/** Returns the range moved by a time [s]. */
export function panned(range: Range, by: number, limits: Range): Range {
  return within({ from: range.from + by, to: range.to + by }, limits);
}

/**
 * Returns the range after one or two fingers have moved, in shares of the chart's width: what was below a finger stays
 * below it.
 */
export function dragged(range: Range, before: readonly number[], after: readonly number[], limits: Range): Range {
  const length = range.to - range.from;
  const [a, b] = [before[0] ?? 0, before[1]];
  const [c, d] = [after[0] ?? 0, after[1]];
  if (b === undefined || d === undefined || Math.abs(b - a) < 1e-6) return panned(range, (a - c) * length, limits);
  const middle = range.from + ((a + b) / 2) * length;
  const factor = Math.abs(b - a) / Math.max(Math.abs(d - c), 1e-3);
  const bigger = zoomed(range, middle, factor, limits);
  return panned(bigger, ((a + b) / 2 - (c + d) / 2) * (bigger.to - bigger.from), limits);
}

/** Whether a range shows everything. */
export const isAll = (range: Range, limits: Range): boolean => range.from <= limits.from && range.to >= limits.to;
