import { expect, test } from "vitest";
import { signPlaces } from "./branch_signs";

const arm = (...origins: [number, number, number][]) => origins.flatMap((origin) => [...origin, 0, 0, 0, 1]);

test("a sign stands at the link that is farthest from the other arms", () => {
  const [up, down] = signPlaces([arm([0, 0, 0], [0.3, 0, 0.4], [0.6, 0, 0]), arm([0, 0, 0], [0.3, 0, -0.4], [0.6, 0, 0.1])], 3, 0.05);
  expect(up).toEqual({ at: [0.3, 0, 0.4], level: 0 });
  expect(down).toEqual({ at: [0.3, 0, -0.4], level: 0 });
});

test("signs of arms at one place stand above each other", () => {
  const same = arm([0, 0, 0], [0.3, 0, 0.4]);
  expect(signPlaces([same, same, same], 2, 0.05).map(({ level }) => level)).toEqual([0, 1, 2]);
});
