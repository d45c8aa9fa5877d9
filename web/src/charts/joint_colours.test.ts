import { expect, test } from "vitest";
import { jointVariable } from "./joint_colours";

test("colours repeat when an arm has more joints than colours", () => {
  expect(jointVariable(0)).toBe("--joint-1");
  expect(jointVariable(7)).toBe("--joint-1");
});
