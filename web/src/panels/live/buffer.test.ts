import { expect, test } from "vitest";
import { LiveBuffer } from "./buffer";
import { windowUpTo } from "./window";

const PEAK_AT = 400;

/** Feeds sines at 50 Hz with one peak; returns times and first values of a window, and the growth of memory. */
function fed(seconds: number, window: number) {
  const buffer = new LiveBuffer(6);
  const size = () => buffer.fine.time.length + buffer.coarse.time.length;
  const before = size();
  const row = new Float32Array(6);
  for (let n = 0; n < seconds * 50; n++) {
    for (let k = 0; k < 6; k++) row[k] = Math.sin(n / 50 + k) + (n === 50 * PEAK_AT ? 9 : 0);
    buffer.push(n / 50, row);
  }
  const out: (number | null)[][] = [[], []];
  const { from, to } = windowUpTo(buffer.last, window);
  buffer.view(from, to, [0], out);
  return { times: out[0] as number[], values: out[1] as number[], grown: size() - before };
}

test("a short window holds every sample in memory of fixed size", () => {
  const { times, grown } = fed(600, 30);
  expect(grown).toBe(0);
  expect(times.length).toBeGreaterThanOrEqual(1500);
  expect(times.length).toBeLessThanOrEqual(1510);
});

test("half an hour stays few points", () => {
  const { times, grown } = fed(3600, 1800);
  expect(grown).toBe(0);
  expect(times.length).toBeLessThanOrEqual(7300);
});

test("a peak stays whole over minutes", () => {
  const { times, values } = fed(600, 900);
  expect(times[0]).toBeLessThan(1);
  expect(Math.max(...values)).toBeGreaterThan(8);
});

test("an older sample is refused, and a silence becomes a gap", () => {
  const buffer = new LiveBuffer(1);
  expect(buffer.push(1, new Float32Array([1]))).toBe(true);
  expect(buffer.push(1, new Float32Array([2]))).toBe(false);
  buffer.push(3, new Float32Array([3]));
  const out: (number | null)[][] = [[], []];
  buffer.view(0, 10, [0], out);
  expect(out[1]).toEqual([1, null, 3]);
});
