import { expect, test } from "vitest";
import { viridis } from "./viridis";

test("ends of the map are its first and last colour when the share is 0 or 1, or beyond", () => {
  expect(viridis(0)).toEqual([68 / 255, 1 / 255, 84 / 255]);
  expect(viridis(1)).toEqual(viridis(7));
  expect(viridis(Number.NaN)).toEqual(viridis(0));
});

test("brightness grows when the share grows", () => {
  const light = (share: number): number => viridis(share).reduce((sum, part, k) => sum + part * [0.21, 0.72, 0.07][k]!, 0);
  for (let k = 1; k <= 20; k += 1) expect(light(k / 20)).toBeGreaterThan(light((k - 1) / 20));
});
