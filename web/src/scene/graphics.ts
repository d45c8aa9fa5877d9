// How much is drawn: everything, or simple pictures for machines without a GPU (`?graphics=simple`, remembered by the browser).

const KEY = "armtwin_graphics";
/** Resolution of simple pictures in device pixels per CSS pixel. */
export const SIMPLE_RATIO = 0.3;

/** Returns whether simple pictures are asked for: coarse, without shadow and smooth edges. */
export function simpleGraphics(): boolean {
  const asked = new URLSearchParams(location.search).get("graphics");
  try {
    if (asked) localStorage.setItem(KEY, asked);
    return (asked ?? localStorage.getItem(KEY)) === "simple";
  } catch {
    return asked === "simple"; // storage is closed to pages from the file system in some browsers
  }
}
