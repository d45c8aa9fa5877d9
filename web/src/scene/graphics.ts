// How much is drawn: everything, simple pictures for machines without a GPU, or nothing (`?graphics=simple`, `none`, `full`;
// the browser remembers it).

const KEY = "armtwin_graphics";
/** Resolution of simple pictures in device pixels per CSS pixel. */
export const SIMPLE_RATIO = 0.3;

function asked(): string | null {
  const given = new URLSearchParams(location.search).get("graphics");
  try {
    if (given) localStorage.setItem(KEY, given);
    return given ?? localStorage.getItem(KEY);
  } catch {
    return given; // storage is closed to pages from the file system in some browsers
  }
}

/** Returns whether simple pictures are asked for: coarse, without shadow and smooth edges. */
export function simpleGraphics(): boolean {
  return ["simple", "none"].includes(asked() ?? "");
}

/** Returns whether no pictures are asked for: the page then shows numbers and controls only. */
export function noGraphics(): boolean {
  return asked() === "none";
}
