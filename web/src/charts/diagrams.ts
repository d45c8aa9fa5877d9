// Geometry of forest plots and Sankey diagrams, in CSS pixels. The server lays them out in shares of the drawing.
import type { SankeyBand } from "../robot/messages";

export const NODE = 10;

/** Returns a number's place on an axis from `low` to `high`, in percent; held within the axis. */
export function share(value: number, low: number, high: number): number {
  const part = high > low ? (value - low) / (high - low) : 0.5;
  return 100 * Math.min(Math.max(part, 0), 1);
}

/** Returns the left edge of a column's nodes; `x` is 0 for the first and 1 for the last column. */
export const columnLeft = (x: number, width: number): number => x * (width - NODE);

/** Returns the outline of a band between two nodes: two curves that leave and arrive horizontally. */
export function bandPath({ x0, y0, x1, y1, width: share }: SankeyBand, width: number, height: number): string {
  const [left, right] = [columnLeft(x0, width) + NODE, columnLeft(x1, width)];
  const middle = (left + right) / 2;
  const [a, b, c, d] = [y0, y1, y1 + share, y0 + share].map((y) => +(y * height).toFixed(2)) as [number, number, number, number];
  return `M${left} ${a}C${middle} ${a} ${middle} ${b} ${right} ${b}L${right} ${c}C${middle} ${c} ${middle} ${d} ${left} ${d}Z`;
}
