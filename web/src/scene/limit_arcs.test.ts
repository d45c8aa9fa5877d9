import { expect, test } from "vitest";
import { arcEnds, limitState } from "./limit_arcs";

const DEGREE = Math.PI / 180;
const joint = { lower: -170 * DEGREE, upper: 170 * DEGREE, near: 5 * DEGREE };

test("a joint is near a limit within 5 degrees and at it within 1", () => {
  expect(limitState(joint, 164 * DEGREE)).toBe("free");
  expect(limitState(joint, 166 * DEGREE)).toBe("near");
  expect(limitState(joint, -169.5 * DEGREE)).toBe("at");
  expect(limitState(joint, 175 * DEGREE)).toBe("at");
});

test("the arc has the whole range, seen from where the joint is", () => {
  const [start, end] = arcEnds(joint, 100 * DEGREE);
  expect(start / DEGREE).toBeCloseTo(-270);
  expect(end / DEGREE).toBeCloseTo(70);
});

test("a range of two turns shows half a turn to each side, less where a limit is nearer", () => {
  const wide = { lower: -2 * Math.PI, upper: 2 * Math.PI, near: 5 * DEGREE };
  expect(arcEnds(wide, 0)).toEqual([-Math.PI, Math.PI]);
  const [start, end] = arcEnds(wide, 350 * DEGREE);
  expect(start).toBeCloseTo(-Math.PI);
  expect(end / DEGREE).toBeCloseTo(10);
});
