import { expect, test } from "vitest";
import { branchNames, poseHint } from "./posture";

const sides = [["shoulder left", "shoulder right"], ["elbow up", "elbow down"], ["", "wrist flipped"]] as const;
const joint = { lower: -1, upper: 1, near: 0.1, name: "", kind: "revolute" as const, row: 1, axis: [] };

test("branches are named by the signs of their sides", () => {
  expect(branchNames({ sides }, [[0.5, 0.2, -0.1], [-0.5, 0.2, 0.1]])).toEqual(["shoulder left, elbow up, wrist flipped", "shoulder right, elbow up"]);
});

test("branches of one name are numbered, and all are where the arm has no names", () => {
  expect(branchNames({ sides }, [[1, 1, 1], [1, 1, 1]])).toEqual(["shoulder left, elbow up (1)", "shoulder left, elbow up (2)"]);
  expect(branchNames({ sides: [] }, [null, null])).toEqual(["solution 1", "solution 2"]);
});

test("a singularity is named before a limit", () => {
  const arm = { joints: [joint, joint], singularities: ["shoulder", "elbow", "wrist"], near_singular: 0.1 };
  expect(poseHint(arm, [0, 0.95], [0.5, -0.5, 0.02])).toBe("Near wrist singularity.");
  expect(poseHint(arm, [0, 0.95], [0.5, -0.5, 0.5])).toBe("Joint 2 is near its limit.");
  expect(poseHint(arm, [0, 0.5], null)).toBe("");
});
