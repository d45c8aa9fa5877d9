// Materials of the scene.
import { Color, DoubleSide, FrontSide, Material, MeshBasicMaterial, MeshStandardMaterial } from "three";
import type { Part } from "./types";

export const ROUGHNESS = 0.6;
export const METALNESS = 0.1;

// Colours of generated arms by role: light housings, dark joints' lids in the accent.
const ROLES: Record<Exclude<Part["role"], "other">, readonly [string, string]> = {
  housing: ["#c9ced6", "#aeb6c0"],
  tube: ["#e8ebef", "#d3d8de"],
  lid: ["#2f6f9f", "#3f86b8"],
  foot: ["#5b6470", "#56606c"],
};

/** Returns the material of a solid. */
export function surface(part: Part, dark: boolean): MeshStandardMaterial {
  const [r = 0.7, g = 0.7, b = 0.7, opacity = 1] = part.colour;
  const colour = part.role === "other" ? new Color().setRGB(r, g, b, "srgb") : new Color(ROLES[part.role][dark ? 1 : 0]);
  return standard(colour, opacity);
}

export function standard(color: Color, opacity = 1): MeshStandardMaterial {
  const clear = opacity < 1;
  return new MeshStandardMaterial({ color, roughness: ROUGHNESS, metalness: METALNESS, opacity, transparent: clear, side: clear ? DoubleSide : FrontSide });
}

export interface GhostPaint {
  /** Writes depth only, so that the colour is blended once wherever parts overlap. */
  readonly depth: Material;
  readonly colour: MeshStandardMaterial;
}

/** Returns the two materials of a ghost: a depth pass, then one even layer of colour. */
export function ghostPaint(colour: string, opacity = 0.42): GhostPaint {
  // Pushed back a little: where ghost and arm coincide the arm is drawn.
  const offset = { polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 4 };
  const depth = new MeshBasicMaterial({ colorWrite: false, transparent: true, ...offset });
  const layer = new MeshStandardMaterial({ color: new Color(colour), roughness: ROUGHNESS, metalness: 0, transparent: true, opacity, depthWrite: false, ...offset });
  return { depth, colour: layer };
}
