import { expect, test } from "vitest";
import { JOINT_COLOURS } from "./joint_colours";
import { lineStyle } from "./line_style";

test("of any two joints one shows beside or through the other when their lines overlap", () => {
  for (let below = 0; below < JOINT_COLOURS; below += 1) {
    for (let above = below + 1; above < JOINT_COLOURS; above += 1) {
      const [lower, upper] = [lineStyle("measured", below, true), lineStyle("measured", above, true)];
      expect(lower.width >= upper.width + 1 || upper.dash.length > lower.dash.length).toBe(true);
    }
  }
});

test("measured, twin and threshold have dashes of their own when they are of one joint", () => {
  const dashes = (["measured", "twin", "threshold"] as const).map((kind) => String(lineStyle(kind, 1, false).dash));
  expect(new Set(dashes).size).toBe(3);
});
