// How much is drawn: everything, simple pictures for machines without a GPU, or nothing (`?graphics=simple`, `none`, `full`;
// the browser remembers it).

const KEY = "armtwin_graphics";
/** Resolution of simple pictures in device pixels per CSS pixel. */
export const SIMPLE_RATIO = 0.3;

/** simple: coarse, without shadow and smooth edges. none: numbers and controls only. */
export type Graphics = "full" | "simple" | "none";

/** Returns the level of graphics that the user chose. */
export function chosenGraphics(): Graphics {
  const chosen = kept();
  return chosen === "simple" || chosen === "none" ? chosen : "full";
}

function kept(): string | null {
  const given = new URLSearchParams(location.search).get("graphics");
  try {
    if (given) localStorage.setItem(KEY, given);
    return given ?? localStorage.getItem(KEY);
  } catch {
    return given; // storage is closed to pages from the file system in some browsers
  }
}
