// View presets and fitting the arm to the picture.
import { Box3, Mesh, MeshBasicMaterial, Vector3, type BufferGeometry, type Object3D } from "three";
import type { View } from "./views";

const DIRECTIONS: Record<View, readonly [number, number, number]> = {
  isometric: [0.95, -1.25, 0.62],
  front: [0, -1, 0.04],
  side: [1, 0, 0.04],
  top: [0, -0.001, 1],
};
/** Share of the view that the arm fills. */
export const FILL = 0.74;

/** Returns the direction from the pivot to the camera. */
export function viewDirection(view: View): Vector3 {
  return new Vector3(...DIRECTIONS[view]).normalize();
}

export interface Fit {
  readonly pivot: Vector3;
  readonly distance: number;
}

/** Returns pivot and distance from which points fill the view, seen from a direction. */
export function fitPoints(points: readonly Vector3[], direction: Vector3, fieldOfView: number, aspect: number, fill = FILL): Fit {
  const tangent = Math.tan((fieldOfView * Math.PI) / 360) * fill;
  const side = new Vector3(0, 0, 1).cross(direction);
  const right = (side.lengthSq() < 1e-6 ? new Vector3(1, 0, 0) : side).normalize();
  const axes = [right, direction.clone().cross(right), direction] as const;
  const pivot = new Vector3();
  for (const axis of axes) {
    const along = points.map((point) => point.dot(axis));
    pivot.addScaledVector(axis, (Math.min(...along) + Math.max(...along)) / 2);
  }
  const distance = points.map((point) => {
    const from = point.clone().sub(pivot);
    return from.dot(direction) + Math.max(Math.abs(from.dot(axes[0])) / (tangent * aspect), Math.abs(from.dot(axes[1])) / tangent);
  });
  return { pivot, distance: Math.max(...distance, 1e-3) };
}

/** Returns the corners of the boxes of all meshes in an object, in the world's frame. */
export function meshCorners(object: Object3D): Vector3[] {
  const corners: Vector3[] = [];
  object.updateWorldMatrix(true, true);
  object.traverse((child) => {
    if (!(child instanceof Mesh) || child.material instanceof MeshBasicMaterial) return;
    const shape = child.geometry as BufferGeometry;
    if (!shape.boundingBox) shape.computeBoundingBox();
    const box = shape.boundingBox ?? new Box3();
    for (let k = 0; k < 8; k += 1) {
      const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
      corners.push(corner.applyMatrix4(child.matrixWorld));
    }
  });
  return corners;
}
