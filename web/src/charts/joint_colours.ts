// The colour of a joint, the same in scene, charts and tables (tokens.css).

export const JOINT_COLOURS = 7;

/** Returns the CSS name of a joint's colour; joints count from 0. */
export function jointVariable(joint: number): string {
  return `--joint-${(joint % JOINT_COLOURS) + 1}`;
}

/** Returns a joint's colour as the page resolves it, for canvas and WebGL. */
export function jointColour(joint: number, element: Element = document.documentElement): string {
  return getComputedStyle(element).getPropertyValue(jointVariable(joint)).trim() || "#0072b2";
}
