// Geometries of a link's solids. Generated arms get lathed housings, tubes, lids and feet with rounded edges.
import { BoxGeometry, BufferGeometry, CapsuleGeometry, LatheGeometry, SphereGeometry, Vector2 } from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import type { Part } from "./types";

const SIDES = 64;
const ROUND = 5;
const CREASE = 0.6;

type Profile = Vector2[];

/** Returns a solid's geometry about its own z axis [m]. */
export function solid(part: Part): BufferGeometry {
  const [a = 0.01, b = 0.01, c = 0.01] = part.size;
  switch (part.kind) {
    case "box":
      return new BoxGeometry(a, b, c);
    case "sphere":
      return new SphereGeometry(a, SIDES, SIDES / 2);
    case "ellipsoid":
      return new SphereGeometry(1, SIDES, SIDES / 2).scale(a, b, c);
    case "capsule":
      return new CapsuleGeometry(a, b, 8, SIDES).rotateX(Math.PI / 2);
    case "cylinder":
      return lathe(profile(part.role, a, b));
  }
}

/** Returns the outline (radius, height) of a cylinder of a role; heights from -length / 2. */
export function profile(role: Part["role"], radius: number, length: number): Profile {
  const half = length / 2;
  switch (role) {
    case "housing":
      return housing(radius, half);
    case "tube":
      return [ring(0, -half), ring(radius, -half), ring(radius, half), ring(0, half)];
    case "lid":
      return rounded(radius, half, Math.min(0.3 * radius, 0.95 * length));
    case "foot":
      return foot(radius, half);
    case "other":
      return rounded(radius, half, Math.min(0.04 * radius, half / 2));
  }
}

function ring(radius: number, height: number): Vector2 {
  return new Vector2(radius, height);
}

// An arc from one direction to another about a centre, by angles [rad].
function arc(x: number, y: number, size: number, from: number, to: number): Profile {
  return Array.from({ length: ROUND + 1 }, (_, k) => {
    const angle = from + ((to - from) * k) / ROUND;
    return ring(x + size * Math.cos(angle), y + size * Math.sin(angle));
  });
}

function rounded(radius: number, half: number, edge: number): Profile {
  const quarter = Math.PI / 2;
  return [
    ring(0, -half),
    ...arc(radius - edge, -half + edge, edge, -quarter, 0),
    ...arc(radius - edge, half - edge, edge, 0, quarter),
    ring(0, half),
  ];
}

// A joint's housing: rounded ends and a parting groove at each of them.
function housing(radius: number, half: number): Profile {
  const edge = Math.min(0.16 * radius, 0.4 * half);
  const body = rounded(radius, half, edge);
  const at = half - edge - 0.1 * radius;
  if (at < 0.2 * radius) return body;
  const depth = 0.025 * radius;
  const cut = (h: number): Profile => [
    ring(radius, h - depth), ring(radius - depth, h - depth / 2), ring(radius - depth, h + depth / 2), ring(radius, h + depth),
  ];
  const middle = body.length / 2;
  return [...body.slice(0, middle), ...cut(-at), ...cut(at), ...body.slice(middle)];
}

// A base plate: a wide flange with a step up to the first joint.
function foot(radius: number, half: number): Profile {
  const edge = 0.12 * half;
  const neck = 0.9 * radius;
  return [
    ring(0, -half), ring(radius, -half), ring(radius, 0.1 * half - edge),
    ...arc(radius - edge, 0.1 * half - edge, edge, 0, Math.PI / 2),
    ring(neck, 0.1 * half), ring(neck - 0.02 * radius, half), ring(0, half),
  ];
}

// Edges above about 35 degrees stay sharp.
function lathe(points: Profile): BufferGeometry {
  // three.js takes corners within a hundredth for one place: metres are made 0.1 mm for it.
  const shape = new LatheGeometry(points, SIDES).rotateX(Math.PI / 2).scale(1e4, 1e4, 1e4);
  return toCreasedNormals(shape, CREASE).scale(1e-4, 1e-4, 1e-4);
}
