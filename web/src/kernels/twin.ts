// The twin in the page: poses of links, the tool, inverse kinematics, all by the arm's own kernels.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Pose } from "../scene/gizmo";
import type { Arm, BoundFunction, Branch } from "./runtime";

export interface Reach {
  readonly q: Float64Array;
  /** Distance between the wanted pose and what is reached [m], [rad]. */
  readonly distance: number;
  readonly angle: number;
  readonly singular: boolean;
  readonly branches: readonly Branch[];
}

export class Twin {
  readonly rows: number;
  readonly dof: number;
  /** Whether the closed form of the inverse holds: it has the arm's own geometry. */
  closedForm = true;
  private step: BoundFunction | null = null;
  private torque: BoundFunction | null = null;

  constructor(readonly arm: Arm) {
    const poses = arm.manifest.functions["link_poses"]!.outputs[0]!;
    this.rows = poses.size / 16;
    this.dof = arm.manifest.arm.dof;
  }

  /** Returns x, y, z and quaternion of every link frame, one after the other. */
  linkPoses(q: ArrayLike<number>): Float64Array {
    const out = this.arm.run("link_poses", { q });
    const T = Object.values(out)[0]!;
    const found = new Float64Array(7 * this.rows);
    const [position, turn, size, matrix] = [new Vector3(), new Quaternion(), new Vector3(), new Matrix4()];
    for (let row = 0; row < this.rows; row += 1) {
      matrix.fromArray(T, 16 * row).transpose();
      matrix.decompose(position, turn, size);
      found.set([position.x, position.y, position.z, turn.x, turn.y, turn.z, turn.w], 7 * row);
    }
    return found;
  }

  /** Returns position, roll pitch yaw and quaternion of the tool for rows of joint positions. */
  coordinates(q: ArrayLike<number>): { position: Float64Array; rpy: Float64Array; quaternion: Float64Array } {
    const { position, rpy, quaternion } = this.arm.run("coordinates", { q });
    return { position: position!, rpy: rpy!, quaternion: quaternion! };
  }

  /** Returns the sides of shoulder, elbow and wrist; null where the arm's branches have no names. */
  sides(q: ArrayLike<number>): Float64Array | null {
    return this.arm.manifest.functions["posture"] ? this.arm.run("posture", { q })["sides"]! : null;
  }

  /** Returns the function `plant_step`, with memory of its own that is kept. */
  plantStep(): BoundFunction {
    return (this.step ??= this.arm.bind("plant_step"));
  }

  /** Returns a function from joint positions to the torques that hold the arm there. */
  holding(): (q: ArrayLike<number>) => Float64Array {
    const torque = (this.torque ??= this.arm.bind("inverse_dynamics"));
    return (q) => {
      torque.inputs["q"]!.set(q);
      torque.run();
      return torque.outputs["tau"]!;
    };
  }

  /** Returns joint positions for a pose of the tool, near a start; the closest where it is out of reach. */
  reach(pose: Pose, start: ArrayLike<number>): Reach {
    const goal = rowMajor(pose);
    const branches = this.arm.manifest.inverse && this.closedForm ? this.arm.inverse(goal, start) : [];
    const [nearest] = branches;
    if (nearest) return { q: nearest.q, distance: 0, angle: 0, singular: nearest.singular, branches };
    const { q, error } = this.arm.run("ik_descent", { start, goal });
    const [x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = error!;
    return { q: q!, distance: Math.hypot(x, y, z), angle: Math.hypot(a, b, c), singular: false, branches };
  }
}

/** Returns a pose as 16 numbers, row by row. */
export function rowMajor(pose: Pose): number[] {
  const matrix = new Matrix4().compose(new Vector3(...pose.position), new Quaternion(...pose.quaternion).normalize(), new Vector3(1, 1, 1));
  return matrix.transpose().toArray();
}
