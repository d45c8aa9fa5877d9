// Other ways to reach the pose of the tool: pale arms with numbers; the chosen one has its name.
import { Group, Vector3, type Object3D, type Raycaster, type Scene, type Sprite } from "three";
import { ArmModel } from "./arm_model";
import { signPlaces } from "./branch_signs";
import type { Paint } from "./colours";
import type { BranchControl } from "./control";
import { plate } from "./frames";
import type { ArmDescription, BranchShape } from "./types";

const PALE = 0.22;
const CLEAR = 0.55;
/** Size of a sign with a name, as a share of one with a number. */
const NAME = 0.65;
/** Signs at one place stand above each other: a plate's height as a share of itself. */
const STACK = 1.1;

interface Ghost {
  readonly model: ArmModel;
  readonly at: Vector3;
  readonly level: number;
  readonly name: string;
  sign: Sprite;
}

export class BranchGhosts implements BranchControl {
  onPick: (branch: number) => void = () => {};
  private readonly group = new Group();
  private ghosts: Ghost[] = [];
  /** Models of this arm, to be posed again: to make one takes longer. */
  private models: ArmModel[] = [];
  private shapes: readonly BranchShape[] = [];
  private chosen = -1;
  private from: { readonly arm: ArmDescription; readonly meshes: Object3D | null; readonly paint: Paint } | null = null;

  constructor(private readonly changed: () => void) {}

  get count(): number {
    return this.ghosts.length;
  }

  /** Draws everything again in the scene of a new arm or in new colours. */
  attach(scene: Scene, arm: ArmDescription, meshes: Object3D | null, paint: Paint): void {
    const same = this.from?.arm === arm;
    this.from = { arm, meshes, paint };
    this.dispose();
    scene.add(this.group);
    this.set(same ? this.shapes : []);
  }

  set(shapes: readonly BranchShape[]): void {
    this.shapes = shapes;
    this.group.clear();
    const from = this.from;
    const places = from ? signPlaces(shapes.map(({ poses }) => poses), from.arm.rows, 0.08 * from.arm.reach) : [];
    this.ghosts = places.map(({ at, level }, k) => {
      const { name, poses } = shapes[k]!;
      const ghost = { model: this.body(k, poses), at: new Vector3(...at), level, name, sign: this.sign(k, name, false) };
      this.place(ghost);
      return ghost;
    });
    this.chosen = -1;
    this.changed();
  }

  highlight(branch: number): void {
    const before = this.chosen;
    this.chosen = branch;
    if (before === branch) return;
    this.mark(before, false);
    this.mark(branch, true);
    this.changed();
  }

  private mark(k: number, on: boolean): void {
    const [ghost, paint] = [this.ghosts[k], this.from?.paint];
    if (!ghost || !paint) return;
    ghost.model.setGhost(on ? paint.accent : paint.ghost, on ? CLEAR : PALE);
    ghost.sign.removeFromParent();
    ghost.sign = this.sign(k, ghost.name, on);
    this.place(ghost);
  }

  dispose(): void {
    for (const model of this.models) model.dispose();
    [this.models, this.ghosts] = [[], []];
    this.group.clear();
  }

  /** Chooses the branch under a ray where nothing is nearer than a distance [m]. */
  pick(ray: Raycaster, nearest: number): void {
    const hits = this.ghosts.flatMap(({ model, sign }, k) => {
      const [hit] = [...ray.intersectObject(sign), ...ray.intersectObject(model.group, true)];
      return hit ? [{ k, distance: hit.object === sign ? 0 : hit.distance }] : [];
    });
    const [first] = hits.sort((a, b) => a.distance - b.distance);
    if (first && first.distance < nearest) this.onPick(first.k);
  }

  show(wanted: boolean): void {
    this.group.visible = wanted;
  }

  /** Returns where a branch has its number. */
  signAt(branch: number): Vector3 | null {
    return this.ghosts[branch]?.at ?? null;
  }

  private body(k: number, poses: BranchShape["poses"]): ArmModel {
    const model = (this.models[k] ??= this.make());
    model.setGhost(this.from!.paint.ghost, PALE);
    model.pose(poses);
    this.group.add(model.group);
    return model;
  }

  private make(): ArmModel {
    const { arm, meshes, paint } = this.from!;
    const model = new ArmModel(arm, { dark: paint.dark, ghost: paint.ghost, opacity: PALE });
    if (meshes) model.addNodes(meshes);
    return model;
  }

  private sign(k: number, name: string, whole: boolean): Sprite {
    const { paint } = this.from!;
    if (!whole) return plate(String(k + 1), paint.ink, paint.surface);
    const sign = plate(`${k + 1} ${name}`, paint.accent, paint.surface);
    sign.scale.multiplyScalar(NAME);
    return sign;
  }

  private place({ sign, at, level }: Ghost): void {
    sign.position.copy(at);
    sign.center.set(0.5, 0.5 - STACK * level);
    this.group.add(sign);
  }
}
