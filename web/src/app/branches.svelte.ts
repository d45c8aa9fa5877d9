/** Other ways to reach the pose of the tool: branches of the inverse kinematics with their names. */
import type { Ik, RobotState } from "../robot/messages";
import { request, message } from "../robot/requests";
import { robot } from "../robot/robot.svelte";
import { motion } from "./motion.svelte";

export interface Branch {
  readonly name: string;
  readonly q: number[];
  readonly links: number[][];
  readonly singular: boolean;
}

type Wanted = { position: number[]; rpy: number[] } | { position: number[]; quaternion: number[] };
/** A tool that is nearer than this to the pose of the branches is there [m], [1]. */
const SAME_POSE = 1e-4;
const NEAR_POSE = 1e-3;
const SAME_JOINTS = 1e-3;
const MAX_BRANCHES = 16;

const apart = (a: readonly number[], b: readonly number[]): number => a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? Infinity))), 0);

/** Returns a pose as numbers of one sign: q and -q are the same rotation. */
const poseOf = ({ pose }: RobotState): number[] => {
  const sign = Math.sign(pose.quaternion.find((value) => Math.abs(value) > 0.4) ?? 1);
  return [...pose.position, ...pose.quaternion.map((value) => sign * value)];
};

class Branches {
  /** Whether they are shown. */
  open = $state(false);
  /** Whether a panel lists them. */
  listed = $state(false);
  all = $state.raw<Branch[]>([]);
  notes = $state.raw<string[]>([]);
  /** The one that somebody points at or has the focus on. */
  looked = $state.raw<Branch | null>(null);
  /** The pose that they reach. */
  private pose = $state.raw<number[]>([]);
  private pending = false;

  /** The one that the arm is in, if any. */
  readonly current = $derived.by(() => this.with(robot.state?.q ?? []));
  /** Whether the arm is at their pose, or on its way there. */
  private readonly valid = $derived.by(() => this.here(NEAR_POSE) || this.with(motion.target) !== null);
  /** Those to draw: all but the one that the arm is in. */
  readonly others = $derived(this.open && this.valid ? this.all.filter((branch) => branch !== this.current) : []);

  private with(q: number[]): Branch | null {
    return this.all.find((branch) => apart(branch.q, q) < SAME_JOINTS) ?? null;
  }

  private here(near: number): boolean {
    return robot.state !== null && this.pose.length > 0 && apart(poseOf(robot.state), this.pose) < near;
  }

  /** Keeps them true to where the arm rests; `wanted` is false while there is nothing to show. */
  watch(wanted: boolean): void {
    const state = robot.state;
    if (!this.open || !wanted || !state) {
      if (this.all.length && !this.open) this.forget();
      return;
    }
    if (state.moving || motion.away || this.pending || this.here(SAME_POSE)) return;
    void this.find(state.pose);
  }

  /** Finds the branches of a pose, nearest to the arm first. */
  async find(wanted: Wanted): Promise<Branch[]> {
    this.pending = true;
    const state = robot.state;
    const orientation = "quaternion" in wanted ? { quaternion: wanted.quaternion } : { rpy: wanted.rpy };
    try {
      const found = await request<Ik>("POST", "/api/ik", { position: wanted.position, ...orientation, seed: state?.q, links: true });
      this.all = found.solutions.slice(0, MAX_BRANCHES).map((q, k) => ({ q, name: found.names[k]!, links: found.links[k]!, singular: found.singular[k]! }));
      this.notes = found.notes;
    } catch (problem) {
      [this.all, this.notes] = [[], []];
      motion.complain(message(problem));
    }
    this.pose = state ? poseOf(state) : [];
    this.looked = null;
    this.pending = false;
    return this.all;
  }

  go(branch: Branch): void {
    motion.aim(branch.q);
  }

  private forget(): void {
    [this.all, this.notes, this.pose, this.looked] = [[], [], [], null];
  }
}

export const branches = new Branches();
