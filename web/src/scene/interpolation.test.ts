import { expect, test } from "vitest";
import { PoseFollower } from "./interpolation";

const pose = (x: number, ...q: number[]): number[] => [x, 0, 0, ...q];

test("half way is reached when half the time between two states has passed", () => {
  const follower = new PoseFollower(1);
  follower.set(pose(0, 0, 0, 0, 1), 0);
  follower.set(pose(1, 0, 0, 0, 1), 20);
  expect(follower.at(30)[0]).toBeCloseTo(0.5);
  expect(follower.moving(30)).toBe(true);
  expect(follower.at(90)[0]).toBe(1);
  expect(follower.moving(90)).toBe(false);
});

test("the shorter turn is taken when a quaternion changes its sign", () => {
  const follower = new PoseFollower(1);
  follower.set(pose(0, 0, 0, 0, 1), 0);
  follower.set(pose(0, 0, 0, -0.1, -0.995), 20);
  const now = follower.at(30);
  expect(Math.hypot(now[3]!, now[4]!, now[5]!, now[6]!)).toBeCloseTo(1);
  expect(now[5]).toBeGreaterThan(0);
});

test("a jump is shown at once when it is asked for", () => {
  const follower = new PoseFollower(1);
  follower.set(pose(0, 0, 0, 0, 1), 0);
  follower.set(pose(5, 0, 0, 0, 1), 20, true);
  expect(follower.at(20)[0]).toBe(5);
});
