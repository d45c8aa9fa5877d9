import { expect, test } from "vitest";
import { LiveBuffer } from "./buffer";
import { LiveView } from "./view.svelte";

/** A buffer with `seconds` of one ramp at 50 Hz, and the function that goes on with it. */
function ramp(seconds: number): { buffer: LiveBuffer; feed: (more: number) => void } {
  const buffer = new LiveBuffer(1);
  let n = 0;
  const feed = (more: number) => {
    for (const end = n + more * 50; n < end; n += 1) buffer.push(n / 50, new Float32Array([n]));
  };
  feed(seconds);
  return { buffer, feed };
}

function values(view: LiveView): { all: boolean; times: number[]; seen: number[] } {
  const out: (number | null)[][] = [[], []];
  const { from, to } = view.range;
  const all = view.buffer!.view(from, to, [0], out);
  return { all, times: out[0] as number[], seen: out[1] as number[] };
}

test("a chart follows the robot until a range is chosen, then stands still with every sample", () => {
  const { buffer, feed } = ramp(50);
  const view = new LiveView(() => buffer, () => 30);
  expect(view.range.to).toBeCloseTo(buffer.last, 9);
  view.show({ from: 40, to: 42 });
  const before = values(view);
  expect(before.all).toBe(true);
  expect(before.times.length).toBeGreaterThanOrEqual(100);
  feed(600); // the newest minute is another one by now
  expect(values(view)).toEqual(before);
  view.show(null);
  expect(view.range.to).toBeCloseTo(buffer.last, 9);
});

test("smallest and largest values are shown, and said to be, when a range is older than the samples kept", () => {
  const { buffer } = ramp(600);
  const view = new LiveView(() => buffer, () => 30);
  view.show({ from: 100, to: 110 });
  const { all, seen } = values(view);
  expect(all).toBe(false);
  expect(Math.min(...seen)).toBeLessThanOrEqual(5000);
  expect(Math.max(...seen)).toBeGreaterThanOrEqual(5500);
});

test("a range stays within what there is when it is moved or zoomed out too far", () => {
  const { buffer } = ramp(100);
  const view = new LiveView(() => buffer, () => 30);
  view.show({ from: -50, to: -40 });
  expect(view.held!.from).toBeCloseTo(buffer.first, 9);
  expect(view.held!.to - view.held!.from).toBeCloseTo(10, 9);
  view.show({ from: -1000, to: 1000 });
  expect(view.held!.from).toBeCloseTo(buffer.first, 9);
  expect(view.held!.to).toBeCloseTo(buffer.last, 9);
});
