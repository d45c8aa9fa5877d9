// Other ways to reach the tool's pose: all branches of the closed form, with their names, computed in the page.
import { branchNames } from "../kernels/posture";
import { rowMajor } from "../kernels/twin";
import type { BranchEntry, LinkPoses } from "../scene/types";
import type { Session } from "./session.svelte";

export interface PageBranch extends BranchEntry {
  readonly q: Float64Array;
  readonly poses: LinkPoses;
}

const SAME_JOINTS = 1e-3;

export class PageBranches {
  /** Whether they are shown. */
  open = $state(false);
  /** The one that somebody points at or has the focus on. */
  looked = $state.raw<PageBranch | null>(null);
  /** Whether the tool is dragged: branches wait until it rests. */
  dragged = $state(false);
  readonly all = $derived.by<readonly PageBranch[]>(() => {
    const { session } = this;
    if (!this.open || this.dragged || session.clock.playing || session.mode === "simulation") return [];
    return branchesOf(session, session.jointsAt(session.clock.time));
  });
  /** The one that the arm is in, if any. */
  readonly current = $derived.by(() => {
    const q = this.session.jointsAt(this.session.clock.time);
    return this.all.find((branch) => branch.q.every((value, k) => Math.abs(value - q[k]!) < SAME_JOINTS)) ?? null;
  });
  /** Those to draw: all but the one that the arm is in. */
  readonly others = $derived(this.all.filter((branch) => branch !== this.current));

  constructor(private readonly session: Session) {}

  /** Whether the arm has a closed form. */
  get possible(): boolean {
    return Boolean(this.session.arm.arm.manifest.inverse);
  }

  go(branch: PageBranch): void {
    this.session.clock.pause();
    this.session.q = branch.q;
    this.session.mode = "free";
  }
}

/** Returns the branches that reach the tool's pose at joint positions, by their names. */
export function branchesOf(session: Session, q: Float64Array): PageBranch[] {
  const { position, quaternion } = session.arm.coordinates(q);
  const pose = rowMajor({ position: [position[0]!, position[1]!, position[2]!], quaternion: [quaternion[0]!, quaternion[1]!, quaternion[2]!, quaternion[3]!] });
  const found = session.arm.arm.inverse(pose, q);
  const names = branchNames(session.content.arm, found.map((branch) => session.arm.sides(branch.q)));
  return found.map((branch, k) => ({ name: names[k]!, q: branch.q, singular: branch.singular, poses: session.arm.linkPoses(branch.q) }));
}
