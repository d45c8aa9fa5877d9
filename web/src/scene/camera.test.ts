import { expect, test } from "vitest";
import { Box3, PerspectiveCamera, Vector3 } from "three";
import { fitted, fittingDistance, viewDirection, VIEWS } from "./camera";

test("a sphere of any size fills the same share of the view when it is fitted", () => {
  const near = fittingDistance(0.1, 40, 1.6);
  expect(fittingDistance(2, 40, 1.6) / near).toBeCloseTo(20, 10);
});

test("a narrow view needs more distance when a sphere is fitted", () => {
  expect(fittingDistance(1, 40, 0.5)).toBeGreaterThan(fittingDistance(1, 40, 1.5));
});

test("the pivot is the box's centre when a view is chosen", () => {
  const camera = new PerspectiveCamera(40, 1);
  const box = new Box3(new Vector3(-1, -1, 0), new Vector3(1, 1, 2));
  for (const view of VIEWS) {
    const pivot = fitted(camera, box, viewDirection(view));
    expect(pivot.z).toBe(1);
    expect(camera.position.distanceTo(pivot)).toBeGreaterThan(2);
  }
});
