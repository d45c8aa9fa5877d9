import { expect, test } from "vitest";
import { figures, percentile } from "./figures";

test("figures are those of the definitions when the error is known", () => {
  const error = Float64Array.from([1, -1, 3, -3]);
  const real = Float64Array.from([0, 10, 20, 30]);
  const found = figures({ name: "tau1", unit: "Nm", signed: true, real, width: 1, error });
  expect(found).toMatchObject({ count: 4, mae: 2, max: 3, bias: 0, p50: 2 });
  expect(found.rmse).toBeCloseTo(Math.sqrt(5));
  expect(found.r2).toBeCloseTo(1 - 20 / 500);
});

test("a constant signal has no R2 when nothing varies", () => {
  const flat = Float64Array.from([2, 2, 2]);
  expect(figures({ name: "x", unit: "m", signed: false, real: flat, width: 1, error: flat })).toMatchObject({ r2: null, bias: null });
});

test("percentiles lie between neighbours when no sample is exact", () => {
  expect(percentile(Float64Array.from([0, 1, 2, 3]), 95)).toBeCloseTo(2.85);
});
