// Where the signs of several arms go: at the link of each that is farthest from the others.
import type { LinkPoses, Vec3 } from "./types";

export interface SignPlace {
  readonly at: Vec3;
  /** Signs before it at nearly the same place. */
  readonly level: number;
}

const originOf = (poses: LinkPoses, row: number): Vec3 => [poses[7 * row]!, poses[7 * row + 1]!, poses[7 * row + 2]!];
const apart = (a: Vec3, b: Vec3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Returns a place for the sign of each arm, given the poses of its links (rows x 7); `near` [m] is as good as the same place. */
export function signPlaces(arms: readonly LinkPoses[], rows: number, near: number): SignPlace[] {
  const places: SignPlace[] = [];
  for (const [k, poses] of arms.entries()) {
    let [best, farthest] = [originOf(poses, 0), -1];
    for (let row = 0; row < rows; row += 1) {
      const own = originOf(poses, row);
      const distance = Math.min(...arms.map((other, n) => (n === k ? Infinity : apart(own, originOf(other, row)))));
      if (distance > farthest) [best, farthest] = [own, distance];
    }
    const same = places.filter(({ at }) => apart(at, best) < near);
    places.push({ at: same[0]?.at ?? best, level: same.length });
  }
  return places;
}
