// What a scene is drawn on and hears from: a canvas of the page, or one that a worker was given.
import type { Drawn } from "./control";
import type { Graphics } from "./graphics";
import type { Paint } from "./colours";

export interface Surface {
  readonly canvas: HTMLCanvasElement | OffscreenCanvas;
  /** Takes the listeners for pointers and wheel: the canvas itself, or what passes its events on. */
  readonly input: HTMLElement;
  readonly graphics: Graphics;
  /** Called after every picture. */
  readonly ondrawn: (drawn: Drawn) => void;
}

/** What changes while a scene is shown: its size [CSS pixels], device pixels per CSS pixel. */
export interface Size {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

export interface Appearance {
  readonly size: Size;
  readonly paint: Paint;
}

/** Returns an empty canvas for a texture. */
export function makeCanvas(width: number, height: number): HTMLCanvasElement | OffscreenCanvas {
  if (typeof OffscreenCanvas !== "undefined") return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement("canvas"), { width, height });
}

/** Returns the pen of a canvas for a texture; null where the browser has none. */
export function penOf(canvas: HTMLCanvasElement | OffscreenCanvas): OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null {
  return canvas.getContext("2d") as OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null;
}
