// The element that holds a scene: its canvas and its size.
import type { Size } from "./surface";

/** Adds a canvas that fills an element. */
export function canvasIn(place: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.setAttribute("aria-hidden", "true");
  place.append(canvas);
  return canvas;
}

export function sizeOf(place: HTMLElement): Size {
  return { width: place.clientWidth, height: place.clientHeight, ratio: devicePixelRatio };
}

/** Calls with every new size; returns what ends it. */
export function watchSize(place: HTMLElement, changed: (size: Size) => void): () => void {
  const sizes = new ResizeObserver(() => changed(sizeOf(place)));
  sizes.observe(place);
  return () => sizes.disconnect();
}
