// The colour map viridis, by nine of its points and lines between them.

const POINTS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];
const RGB = POINTS.map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255) as [number, number, number]);

/** Returns red, green and blue (0 to 1, sRGB) of a share from 0 to 1. */
export function viridis(share: number): [number, number, number] {
  const at = Math.min(Math.max(Number.isFinite(share) ? share : 0, 0), 1) * (RGB.length - 1);
  const low = Math.min(Math.floor(at), RGB.length - 2);
  const [a, b] = [RGB[low]!, RGB[low + 1]!];
  return [0, 1, 2].map((k) => a[k]! + (b[k]! - a[k]!) * (at - low)) as [number, number, number];
}

/** The map as a CSS gradient from left to right. */
export const VIRIDIS_CSS = `linear-gradient(90deg, ${POINTS.join(", ")})`;
