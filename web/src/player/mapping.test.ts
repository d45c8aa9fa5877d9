import { expect, test } from "vitest";
import { assign, lack, mappingOf, siUnit, targetsFor } from "./mapping";

const bare = ["t", "a", "b", "c"].map((source) => ({ source, target: "", unit: "" }));

test("the next joints follow when the first one is assigned, and another column loses a name that is given away", () => {
  const first = assign(bare, 1, "q1", 2);
  expect(first.map(({ target }) => target)).toEqual(["", "q1", "q2", ""]);
  expect(assign(first, 3, "q2", 2).map(({ target }) => target)).toEqual(["", "q1", "", "q2"]);
});

test("a mapping has the form of a mapping file when columns are assigned", () => {
  const time = assign(assign(bare, 1, "q1", 2), 0, "time", 2).map((column) => (column.target === "time" ? { ...column, unit: "ms" } : column));
  expect(mappingOf(time)).toEqual({ columns: { time: { from: "t", unit: "ms" }, q1: { from: "a", unit: "rad" }, q2: { from: "b", unit: "rad" } }, drop: ["c"], timed: true });
  expect(lack(time, 2)).toBe("");
  expect(lack(time, 3)).toContain("q3");
});

test("every column to choose has a unit when an arm has six joints", () => {
  expect(targetsFor(6).filter((target) => !siUnit(target))).toEqual([]);
});
