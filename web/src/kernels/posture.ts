// Names of branches and singularities: the sides come from the arm's kernel, the words from its description.
import type { ArmDescription } from "../scene/types";

type Sides = ArrayLike<number> | null;

/** Returns a different name for each of some branches, as `branch_names` of armtwin does. */
export function branchNames({ sides: words }: Pick<ArmDescription, "sides">, all: readonly Sides[]): string[] {
  const found = all.map((sides, k) => (sides ? words.map((pair, i) => pair[sides[i]! < 0 ? 1 : 0]).filter(Boolean).join(", ") : `solution ${k + 1}`));
  return found.map((name, k) => {
    const before = found.slice(0, k).filter((other) => other === name).length;
    return found.filter((other) => other === name).length > 1 ? `${name} (${before + 1})` : name;
  });
}

/** Returns a warning about a position: a singularity or a limit that is near, else "". */
export function poseHint(arm: Pick<ArmDescription, "joints" | "singularities" | "near_singular">, q: ArrayLike<number>, sides: Sides): string {
  const [name] = sides ? arm.singularities.filter((_, k) => Math.abs(sides[k]!) < arm.near_singular) : [];
  if (name) return `Near ${name} singularity.`;
  const near = arm.joints.findIndex((joint, k) => Math.min(q[k]! - joint.lower, joint.upper - q[k]!) < joint.near);
  return near < 0 ? "" : `Joint ${near + 1} is near its limit.`;
}
