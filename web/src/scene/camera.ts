// View presets and fitting the arm to the picture.
import { Box3, PerspectiveCamera, Sphere, Vector3 } from "three";

export type View = "isometric" | "front" | "side" | "top";
export const VIEWS: readonly View[] = ["isometric", "front", "side", "top"];

const DIRECTIONS: Record<View, readonly [number, number, number]> = {
  isometric: [0.95, -1.25, 0.62],
  front: [0, -1, 0.04],
  side: [1, 0, 0.04],
  top: [0, -0.001, 1],
};
const FILL = 0.8;

/** Returns the direction from the pivot to the camera. */
export function viewDirection(view: View): Vector3 {
  return new Vector3(...DIRECTIONS[view]).normalize();
}

/** Returns how far away a sphere fills its share of the smaller side of the view. */
export function fittingDistance(radius: number, fieldOfView: number, aspect: number): number {
  const half = (fieldOfView * Math.PI) / 360;
  const narrow = Math.min(half, Math.atan(Math.tan(half) * aspect));
  return radius / Math.sin(narrow) / FILL;
}

/** Places the camera so that a box fills the view from a direction; returns the pivot. */
export function fitted(camera: PerspectiveCamera, box: Box3, direction: Vector3): Vector3 {
  const ball = box.getBoundingSphere(new Sphere());
  const distance = fittingDistance(Math.max(ball.radius, 1e-3), camera.fov, camera.aspect);
  camera.position.copy(ball.center).addScaledVector(direction, distance);
  return ball.center;
}
