/** Drags the tool by the scene's gizmo: inverse kinematics for every pose, one request at a time. */
import type { Ik } from "../robot/messages";
import { request, message } from "../robot/requests";
import { stream } from "../robot/stream";
import type { GizmoControl } from "../scene/control";
import type { Pose } from "../scene/gizmo";
import { motion } from "./motion.svelte";

/** A solution further away than this in one joint is another branch: the arm would turn over [rad]. */
const SAME_BRANCH = 0.8;

export class ToolDrag {
  /** What stands in the way of the wanted pose, or "". */
  note = $state("");
  /** Joint positions while somebody drags, else null. */
  at = $state.raw<number[] | null>(null);
  private wanted: Pose | null = null;
  private busy = false;
  private seed: number[] = [];

  attach(gizmo: GizmoControl): void {
    gizmo.onDrag = (pose) => {
      if (motion.blocked) {
        this.note = motion.watching;
        return;
      }
      if (!this.busy && !this.wanted) this.seed = [...(motion.armed ? motion.target : (stream.state?.q ?? []))];
      this.at ??= this.seed;
      this.wanted = pose;
      void this.solve();
    };
    gizmo.onEnd = () => {
      this.wanted = null;
      this.at = null;
      this.note = "";
    };
  }

  private async solve(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.wanted) {
      const { position, quaternion } = this.wanted;
      this.wanted = null;
      try {
        this.take(await request<Ik>("POST", "/api/ik", { position, quaternion, seed: this.seed }));
      } catch (problem) {
        this.note = message(problem);
      }
    }
    this.busy = false;
  }

  private take({ solutions, singular }: Ik): void {
    const [q] = solutions;
    if (!q) return;
    const turn = q.reduce((most, value, i) => Math.max(most, Math.abs(value - (this.seed[i] ?? value))), 0);
    if (turn > SAME_BRANCH) {
      this.note = "The arm would have to turn over to follow: go around, or choose another way to reach the pose.";
      return;
    }
    this.note = singular[0] ? "At a singularity: some directions are blocked here." : "";
    this.seed = q;
    if (this.at) this.at = q;
    motion.aim(q);
  }
}
