// Colours of the scene, from the page's tokens.

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
  const dark = lightness(read("--page")) < 0.5;
  return { ...(colours as Record<keyof typeof TOKENS, string>), dark };
}

/** Returns the lightness of a colour such as #101317, from 0 to 1. */
function lightness(colour: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  return (Math.min(...parts) + Math.max(...parts)) / 2;
}
