import { expect, test } from "vitest";
import { Clock, keyTime, nearestSample, sampleAt } from "./clock.svelte";

const times = [0, 0.1, 0.2, 0.5];

test("the last sample before a time is found when times are uneven", () => {
  expect([-1, 0, 0.15, 0.2, 0.49, 9].map((t) => sampleAt(times, t))).toEqual([0, 0, 1, 2, 2, 3]);
  expect(nearestSample(times, 0.4)).toBe(3);
});

test("time stays within the range when it is sought or played beyond", () => {
  const clock = new Clock();
  clock.setRange(1, 3);
  expect(clock.time).toBe(1);
  clock.seek(99);
  expect(clock.time).toBe(3);
  clock.seek(Number.NaN);
  expect(clock.time).toBe(1);
});

test("an arrow steps by a sample, with shift by 0.1 s, when it is pressed", () => {
  expect(keyTime("ArrowRight", false, 0.2, times)).toBe(0.5);
  expect(keyTime("ArrowLeft", true, 0.5, times)).toBeCloseTo(0.4);
  expect(keyTime("x", false, 0.5, times)).toBeNull();
});
