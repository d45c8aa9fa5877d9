import { expect, test } from "vitest";
import { BoxGeometry, Group, Mesh, MeshStandardMaterial, PerspectiveCamera, Vector3 } from "three";
import { fitPoints, meshCorners, viewDirection } from "./camera";
import { VIEWS } from "./views";

const cube = (size: number): Vector3[] => [-size, size].flatMap((x) => [-size, size].flatMap((y) => [0, 2 * size].map((z) => new Vector3(x, y, z))));

test("points of any size fill the same share of the view when they are fitted", () => {
  const direction = viewDirection("isometric");
  const near = fitPoints(cube(0.1), direction, 40, 1.6);
  expect(fitPoints(cube(2), direction, 40, 1.6).distance / near.distance).toBeCloseTo(20, 10);
});

test("a narrow view needs more distance when points are fitted", () => {
  const direction = viewDirection("front");
  expect(fitPoints(cube(1), direction, 40, 0.5).distance).toBeGreaterThan(fitPoints(cube(1), direction, 40, 1.5).distance);
});

test("points lie within the view and fill it when they are fitted from any side", () => {
  for (const view of VIEWS) {
    const camera = new PerspectiveCamera(34, 1.3, 0.01, 100);
    camera.up.set(0, 0, 1);
    const direction = viewDirection(view);
    const { pivot, distance } = fitPoints(cube(0.7), direction, camera.fov, camera.aspect);
    camera.position.copy(pivot).addScaledVector(direction, distance);
    camera.lookAt(pivot);
    camera.updateMatrixWorld(true);
    const seen = cube(0.7).map((point) => point.project(camera));
    const most = Math.max(...seen.map((point) => Math.max(Math.abs(point.x), Math.abs(point.y))));
    expect(most).toBeLessThan(0.85);
    expect(most).toBeGreaterThan(0.6);
  }
});

test("corners are those of the meshes in the world when an object is moved", () => {
  const group = new Group();
  group.add(new Mesh(new BoxGeometry(2, 2, 2), new MeshStandardMaterial()));
  group.position.set(5, 0, 0);
  const corners = meshCorners(group);
  expect(corners.length).toBe(8);
  expect(Math.min(...corners.map((corner) => corner.x))).toBeCloseTo(4);
});
