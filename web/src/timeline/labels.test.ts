import { expect, test } from "vitest";
import { labels } from "./labels";

test("names never cover each other and stay on the timeline when marks are close", () => {
  const places = Array.from({ length: 40 }, (_, k) => k * 11);
  const names = places.map((_, k) => `position ${k}`);
  const found = labels(names, places, 440);
  const ends = [-Infinity, -Infinity];
  found.forEach((label, k) => {
    if (!label) return;
    expect(label.left).toBeGreaterThanOrEqual(Math.max(0, ends[label.row]!));
    ends[label.row] = label.left + 6 * names[k]!.length;
    expect(ends[label.row]!).toBeLessThanOrEqual(440);
  });
  expect(found.filter(Boolean).length).toBeGreaterThan(4);
});

test("all names are shown when there is room", () => {
  expect(labels(["home", "box"], [0, 200], 400).map((label) => label!.row)).toEqual([0, 0]);
});
