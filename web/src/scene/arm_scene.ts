// The 3-D scene: an arm, its ghost, path, contacts and a gizmo. Pictures are drawn only when something changed. Nothing here
// needs a page: `local_scene.ts` draws in the page's thread, `scene_worker.ts` in a worker.
import { Group, PerspectiveCamera, Quaternion, Raycaster, Scene, Vector2, Vector3, type Object3D, type WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { Annotations } from "./annotations";
import { ArmModel } from "./arm_model";
import { BranchGhosts } from "./branch_ghosts";
import { FILL, fitPoints, meshCorners, viewDirection } from "./camera";
import { Gizmo } from "./gizmo";
import { PoseFollower } from "./interpolation";
import { Pace } from "./pace";
import type { Paint } from "./colours";
import type { Drawn } from "./control";
import { furnish, makeRenderer, pixelRatio } from "./stage";
import type { Appearance, Size, Surface } from "./surface";
import type { ArmDescription, LinkPoses } from "./types";
import type { View } from "./views";

const FIELD = 34;
/** How a fitted arm lies below the tools at the top: share of the view that it fills, and by how much it is below the middle, as
 * a share of half the view. In a narrow view the tools take two rows. */
const WIDE = { fill: FILL, lower: 0.1 };
const NARROW = { fill: 0.64, lower: 0.22 };
const NARROW_PX = 480;
/** A press that moves further is no click. */
const CLICK_PX = 5;

export class ArmScene {
  readonly gizmo: Gizmo;
  readonly annotations: Annotations;
  readonly branches: BranchGhosts;
  private readonly renderer: WebGLRenderer;
  private readonly pace: Pace;
  private readonly camera = new PerspectiveCamera(FIELD, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private scene = new Scene();
  private paint: Paint;
  private size: Size;
  private arm: ArmDescription | null = null;
  private body: ArmModel | null = null;
  private ghost: ArmModel | null = null;
  private meshes: Object3D | null = null;
  private follower = new PoseFollower(0);
  private posed = false;
  private count = 0;
  private due = 0;
  private view: View = "isometric";
  private untouched = true;
  private resized = false;
  private ghostPoses: LinkPoses | null = null;
  private pressed: readonly [number, number] = [-1e6, -1e6];

  constructor(private readonly surface: Surface, { paint, size }: Appearance) {
    [this.paint, this.size] = [paint, size];
    this.renderer = makeRenderer(surface.canvas, surface.graphics, size.ratio);
    this.pace = new Pace(this.renderer, surface.graphics !== "full", () => this.draw());
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, surface.input);
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => (this.untouched = false));
    this.gizmo = new Gizmo(this.camera, surface.input, () => (this.gizmo.dragging ? this.pace.dragged() : this.draw()));
    this.gizmo.onGrab = (held) => (this.controls.enabled = !held);
    this.annotations = new Annotations(() => this.draw(), () => this.refit());
    this.branches = new BranchGhosts(() => this.draw());
    surface.input.addEventListener("pointerdown", (event) => (this.pressed = [event.clientX, event.clientY]));
    surface.input.addEventListener("pointerup", (event) => this.click(event));
    surface.input.addEventListener("dblclick", (event) => this.setPivot(event));
    this.resize(size);
  }

  /** Shows an arm; `glb` holds its meshes where it has them. It is drawn once it has poses. */
  async setArm(arm: ArmDescription, glb: ArrayBuffer | null = null): Promise<void> {
    const meshes = glb ? (await new GLTFLoader().parseAsync(glb, "")).scene : null;
    [this.arm, this.meshes, this.posed, this.untouched] = [arm, meshes, false, true];
    this.follower = new PoseFollower(arm.rows);
    this.build();
  }

  /** Draws everything in other colours. */
  setPaint(paint: Paint): void {
    this.paint = paint;
    if (this.arm) this.build();
  }

  private build(): void {
    const arm = this.arm;
    if (!arm) return;
    this.body?.dispose();
    this.ghost?.dispose();
    this.scene = new Scene();
    furnish(this.scene, arm.reach, this.paint);
    const { dark, ghost } = this.paint;
    this.body = new ArmModel(arm, { dark });
    this.ghost = new ArmModel(arm, { dark, ghost });
    if (this.meshes) {
      this.body.addNodes(this.meshes);
      this.ghost.addNodes(this.meshes);
    }
    this.ghost.group.visible = false;
    this.scene.add(this.body.group, this.ghost.group);
    this.annotations.attach(this.scene, this.body, this.paint);
    this.branches.attach(this.scene, arm, this.meshes, this.paint);
    this.gizmo.attach(this.scene);
    this.controls.minDistance = 0.15 * arm.reach;
    this.controls.maxDistance = 10 * arm.reach;
    this.camera.near = 0.01 * arm.reach;
    this.camera.far = 60 * arm.reach;
    this.body.group.visible = this.posed;
    this.body.pose(this.follower.at(performance.now()));
    if (this.ghostPoses) this.setGhostPoses(this.ghostPoses);
    this.resize(this.size);
  }

  /** Moves the links; steps between states are interpolated unless `jump`. */
  setPoses(poses: LinkPoses, jump = false): void {
    const first = !this.posed;
    this.follower.set(poses, performance.now(), jump || first);
    this.posed = true;
    if (first && this.body) {
      this.body.group.visible = true;
      this.refit();
    }
    this.draw();
  }

  /** Shows the ghost; hides it with null. */
  setGhostPoses(poses: LinkPoses | null): void {
    this.ghostPoses = poses ? Array.from(poses) : null;
    if (!this.ghost) return;
    this.ghost.group.visible = poses !== null;
    if (poses) this.ghost.pose(poses);
    this.draw();
  }

  private toolPose(): { position: Vector3; quaternion: Quaternion } {
    const tool = this.body?.tool ?? new Group();
    tool.updateWorldMatrix(true, false);
    return { position: tool.getWorldPosition(new Vector3()), quaternion: tool.getWorldQuaternion(new Quaternion()) };
  }

  setView(view: View): void {
    this.view = view;
    this.untouched = true;
    this.fit();
  }

  /** Fits the arm as it stands into the picture, seen from the chosen side. */
  fit(): void {
    if (!this.body || !this.arm) return;
    const direction = viewDirection(this.view);
    const points = [...meshCorners(this.body.group), ...this.annotations.pathCorners()];
    if (!points.length) return;
    const { fill, lower } = this.size.width < NARROW_PX ? NARROW : WIDE;
    const { pivot, distance } = fitPoints(points, direction, this.camera.fov, this.camera.aspect, fill);
    const up = new Vector3(0, 0, 1).projectOnPlane(direction).normalize();
    pivot.addScaledVector(up, lower * distance * Math.tan((FIELD * Math.PI) / 360));
    this.camera.position.copy(pivot).addScaledVector(direction, distance);
    this.controls.target.copy(pivot);
    this.controls.update();
    this.draw();
  }

  /** Fits the arm again, unless a person has turned the view. */
  refit(): void {
    if (!this.untouched) return;
    this.body?.pose(this.follower.at(performance.now()));
    this.fit();
  }

  private rayThrough(event: MouseEvent): Raycaster {
    const box = this.surface.input.getBoundingClientRect();
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  /** A press that did not turn the view chooses the branch under it, unless the arm itself is before it. */
  private click(event: MouseEvent): void {
    const [x, y] = this.pressed;
    if (!this.branches.count || Math.hypot(event.clientX - x, event.clientY - y) > CLICK_PX) return;
    const ray = this.rayThrough(event);
    const [own] = this.body ? ray.intersectObject(this.body.group, true) : [];
    this.branches.pick(ray, own?.distance ?? Infinity);
  }

  private setPivot(event: MouseEvent): void {
    const [hit] = this.body ? this.rayThrough(event).intersectObject(this.body.group, true) : [];
    if (!hit) return;
    this.controls.target.copy(hit.point);
    this.controls.update();
  }

  resize(size: Size): void {
    const { width, height } = (this.size = size);
    if (!width || !height) return;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.annotations.resize(width, height);
    this.resized = true;
    this.refit();
    this.draw();
  }

  /** Takes the new size. It empties the canvas, so that this is done just before a picture is drawn. */
  private takeSize(): void {
    if (!this.resized) return;
    this.resized = false;
    this.pace.setFine(pixelRatio(this.surface.graphics, this.size.ratio));
    this.renderer.setSize(this.size.width, this.size.height, false);
  }

  /** Asks for a picture with the next frame. */
  draw(): void {
    if (!this.due) this.due = requestAnimationFrame(() => this.render());
  }

  /** Draws without pauses for a while, because a person watches. */
  hurry(): void {
    this.pace.hurry(performance.now());
  }

  private render(): void {
    cancelAnimationFrame(this.due);
    this.due = 0;
    if (!this.body?.group.visible) return;
    const now = performance.now();
    if (!this.pace.due(now)) {
      this.draw();
      return;
    }
    this.body.pose(this.follower.at(now));
    this.takeSize();
    const tool = this.toolPose();
    this.gizmo.follow(tool.position, tool.quaternion);
    const coarse = this.pace.begin();
    if (this.ghost) this.ghost.group.visible = this.ghostPoses !== null && !coarse;
    this.branches.show(!coarse);
    if (this.surface.graphics !== "none") {
      this.renderer.render(this.scene, this.camera);
      this.pace.end(now);
    }
    this.count += 1;
    this.surface.ondrawn({ count: this.count, coarse, software: this.pace.software, tool: this.inPicture(tool.position), ...this.drawnBranches() });
    if (this.follower.moving(now)) this.draw();
  }

  private drawnBranches(): Pick<Drawn, "branches" | "firstBranch"> {
    const first = this.branches.signAt(0);
    return { branches: this.branches.count, firstBranch: first && this.inPicture(first) };
  }

  /** Returns where a place is in the picture [CSS pixels from its top left]. */
  private inPicture(position: Vector3): readonly [number, number] {
    const { x, y } = position.clone().project(this.camera);
    return [((x + 1) / 2) * this.size.width, ((1 - y) / 2) * this.size.height];
  }

  dispose(): void {
    cancelAnimationFrame(this.due);
    this.gizmo.dispose();
    this.pace.dispose();
    this.controls.dispose();
    this.body?.dispose();
    this.ghost?.dispose();
    this.branches.dispose();
    this.renderer.dispose();
  }
}
