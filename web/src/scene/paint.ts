// Materials and colours of the scene, from the page's tokens.
import { Color, DoubleSide, FrontSide, Material, MeshBasicMaterial, MeshStandardMaterial } from "three";
import type { Part } from "./types";

export const ROUGHNESS = 0.6;
export const METALNESS = 0.1;

export interface Paint {
  readonly top: string;
  readonly bottom: string;
  readonly ground: string;
  readonly grid: string;
  readonly ghost: string;
  readonly accent: string;
  readonly ink: string;
  readonly surface: string;
  readonly warn: string;
  readonly bad: string;
  readonly dark: boolean;
}

const TOKENS = {
  top: "--scene-top", bottom: "--scene-bottom", ground: "--scene-ground", grid: "--scene-grid", ghost: "--scene-ghost",
  accent: "--accent", ink: "--ink", surface: "--surface", warn: "--warn", bad: "--bad",
} as const;

/** Returns the scene's colours as the page at an element resolves them. */
export function paintOf(element: Element): Paint {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(name).trim() || "#888888";
  const colours = Object.fromEntries(Object.entries(TOKENS).map(([key, name]) => [key, read(name)]));
  const dark = new Color(read("--page")).getHSL({ h: 0, s: 0, l: 0 }).l < 0.5;
  return { ...(colours as Record<keyof typeof TOKENS, string>), dark };
}

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
