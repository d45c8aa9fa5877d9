import { expect, test } from "vitest";
import { decimate } from "./decimate";

test("a single peak survives when a long line is decimated", () => {
  const time = Float64Array.from({ length: 10000 }, (_, k) => k / 500);
  const line = new Float64Array(10000);
  line[4321] = 7;
  line[8765] = -3;
  const thin = decimate(time, [line], 0, 9999, 200);
  expect(thin.time.length).toBe(400);
  expect(thin.factor).toBe(50);
  expect(Math.max(...thin.lines[0]!)).toBe(7);
  expect(Math.min(...thin.lines[0]!)).toBe(-3);
  expect([...thin.time].every((t, k) => k === 0 || t > thin.time[k - 1]!)).toBe(true);
});

test("nothing is left out when the samples fit", () => {
  const time = Float64Array.from([0, 1, 2, 3]);
  expect(decimate(time, [time], 1, 3, 10)).toMatchObject({ factor: 1, time: Float64Array.from([1, 2, 3]) });
});
