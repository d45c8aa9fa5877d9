// The page's canvas as a worker sees it.
import { EventDispatcher } from "three";
import type { Box, PassedEvent } from "./input_events";

/** Stands for the canvas in a worker: three.js's controls listen to it as to an element and its document. */
export class CanvasStandIn extends EventDispatcher<Record<string, PassedEvent>> {
  readonly style = {};
  readonly pointerLockElement = null;
  private box: Box = { left: 0, top: 0, width: 1, height: 1 };

  get ownerDocument(): this {
    return this;
  }

  get clientWidth(): number {
    return this.box.width;
  }

  get clientHeight(): number {
    return this.box.height;
  }

  getBoundingClientRect(): Box {
    return this.box;
  }

  setPointerCapture(): void {} // the page's canvas has it

  releasePointerCapture(): void {}

  /** Takes an event of the page's canvas. */
  take(event: PassedEvent, box: Box): void {
    this.box = box;
    this.dispatchEvent({ ...event, preventDefault: () => {}, stopPropagation: () => {} });
  }

  /** The canvas has another size. */
  resize(width: number, height: number): void {
    this.box = { ...this.box, width, height };
  }
}
