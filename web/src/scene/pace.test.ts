import type { WebGLRenderer } from "three";
import { expect, test, vi } from "vitest";
import { fineRatio, Pace } from "./pace";

test("a fine picture has the screen's resolution when coarse ones are fast, and less when they are slow", () => {
  expect(fineRatio(2, 0.5, 10)).toBe(2);
  expect(fineRatio(2, 0.5, 250)).toBeCloseTo(1);
  expect(fineRatio(2, 0.35, 250)).toBeCloseTo(0.7);
  expect(fineRatio(2, 0.5, 5000)).toBe(0.5);
});

/** A renderer that draws in software and has every picture ready when it is asked. */
function softwareRenderer(): WebGLRenderer {
  const gl = {
    getExtension: () => ({ UNMASKED_RENDERER_WEBGL: 1 }),
    getParameter: () => "SwiftShader",
    fenceSync: () => ({}),
    flush: () => {},
    clientWaitSync: () => 0,
    deleteSync: () => {},
    TIMEOUT_EXPIRED: 1,
  };
  return { getContext: () => gl, getPixelRatio: () => 1, setPixelRatio: () => {} } as unknown as WebGLRenderer;
}

test("pictures drawn in software pause, and follow each other at once when a person drags", () => {
  const pace = new Pace(softwareRenderer(), true, () => {});
  pace.end(0);
  expect(pace.due(100)).toBe(false);
  expect(pace.due(100 + 240)).toBe(true);
  pace.end(340);
  expect(pace.due(440)).toBe(false);
  pace.hurry(450);
  expect(pace.due(450)).toBe(true);
  pace.end(450);
  expect(pace.due(550)).toBe(true);
});

test("a dragged thing waits for the arm that follows it when pictures are drawn in software, but not for long", () => {
  vi.stubGlobal("self", globalThis);
  vi.useFakeTimers();
  const redraw = vi.fn();
  const pace = new Pace(softwareRenderer(), true, redraw);
  pace.dragged();
  pace.begin();
  vi.advanceTimersByTime(1000);
  expect(redraw).not.toHaveBeenCalled();
  pace.dragged();
  pace.dragged();
  vi.advanceTimersByTime(1000);
  expect(redraw).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
