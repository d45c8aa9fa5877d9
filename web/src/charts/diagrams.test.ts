import { expect, test } from "vitest";
import { bandPath, columnLeft, NODE, share } from "./diagrams";

test("a number's place on an axis", () => {
  expect(share(2, 1, 3)).toBe(50);
  expect(share(9, 1, 3)).toBe(100);
  expect(share(-9, 1, 3)).toBe(0);
  expect(share(1, 1, 1)).toBe(50);
});

test("columns of nodes fill the width", () => {
  expect(columnLeft(0, 300)).toBe(0);
  expect(columnLeft(1, 300)).toBe(300 - NODE);
});

test("a band leaves one node and enters the next with its whole width", () => {
  const path = bandPath({ x0: 0, y0: 0, x1: 1, y1: 0.5, width: 0.25, number: 1 }, 210, 100);
  expect(path.startsWith(`M${NODE} 0C`)).toBe(true);
  expect(path).toContain("200 50L200 75");
  expect(path.endsWith(`${NODE} 25Z`)).toBe(true);
});
