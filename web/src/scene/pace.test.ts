import { expect, test } from "vitest";
import { fineRatio } from "./pace";

test("a fine picture has the screen's resolution when coarse ones are fast, and less when they are slow", () => {
  expect(fineRatio(2, 10)).toBe(2);
  expect(fineRatio(2, 250)).toBeCloseTo(1);
  expect(fineRatio(2, 5000)).toBe(0.5);
});
