import { expect, test } from "vitest";
import { solid } from "./solids";
import type { Part } from "./types";

const part = (role: Part["role"], radius: number, length: number): Part => ({ link: 0, kind: "cylinder", size: [radius, length], pose: [], colour: [], role });

test("normals of a tube point away from its axis when it is lathed", () => {
  const shape = solid(part("tube", 0.05, 0.6));
  const [at, normal] = [shape.getAttribute("position"), shape.getAttribute("normal")];
  let worst = 1;
  for (let k = 0; k < at.count; k += 1) {
    const radius = Math.hypot(at.getX(k), at.getY(k));
    const size = Math.hypot(normal.getX(k), normal.getY(k), normal.getZ(k));
    if (radius < 0.04 || size < 0.5 || Math.abs(normal.getZ(k)) > 0.7) continue;
    worst = Math.min(worst, (at.getX(k) * normal.getX(k) + at.getY(k) * normal.getY(k)) / radius);
  }
  expect(worst).toBeGreaterThan(0.9995);
});

test("a housing stays within its radius and length when it is lathed", () => {
  const shape = solid(part("housing", 0.06, 0.15));
  shape.computeBoundingBox();
  expect(shape.boundingBox!.max.z).toBeCloseTo(0.075, 6);
  expect(shape.boundingBox!.max.x).toBeCloseTo(0.06, 6);
});
