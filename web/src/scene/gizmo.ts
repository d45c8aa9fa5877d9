// A gizmo that drags the tool: translation or rotation, in base or in the tool's frame.
import { Object3D, Quaternion, Vector3, type Camera, type Scene } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { GizmoControl } from "./control";

export interface Pose {
  readonly position: readonly [number, number, number];
  /** x, y, z, w */
  readonly quaternion: readonly [number, number, number, number];
}

export class Gizmo implements GizmoControl {
  /** Called while the tool is dragged, with the wanted pose in base. */
  onDrag: (wanted: Pose) => void = () => {};
  /** Called when the gizmo is taken (true) and let go (false). */
  onGrab: (held: boolean) => void = () => {};
  onEnd: () => void = () => {};
  private readonly target = new Object3D();
  private readonly controls: TransformControls;
  private held = false;

  constructor(camera: Camera, element: HTMLElement, private readonly changed: () => void) {
    this.controls = new TransformControls(camera, element);
    this.controls.setSize(0.75);
    this.controls.addEventListener("change", () => this.changed());
    this.controls.addEventListener("objectChange", () => this.onDrag(this.wanted()));
    this.controls.addEventListener("dragging-changed", (event) => this.grab(Boolean(event.value)));
  }

  private grab(held: boolean): void {
    this.held = held;
    this.onGrab(held);
    if (!held) this.onEnd();
  }

  attach(scene: Scene): void {
    scene.add(this.target, this.controls.getHelper());
  }

  get visible(): boolean {
    return this.controls.object !== undefined;
  }

  /** Whether somebody drags it now. */
  get dragging(): boolean {
    return this.held;
  }

  show(wanted: boolean): void {
    if (wanted) this.controls.attach(this.target);
    else this.controls.detach();
    this.changed();
  }

  setMode(mode: "translate" | "rotate"): void {
    this.controls.setMode(mode);
    this.changed();
  }

  setSpace(space: "world" | "local"): void {
    this.controls.setSpace(space);
    this.changed();
  }

  /** Puts the gizmo where the tool is, unless somebody drags it. */
  follow(position: Vector3, quaternion: Quaternion): void {
    if (this.held) return;
    this.target.position.copy(position);
    this.target.quaternion.copy(quaternion);
  }

  wanted(): Pose {
    const { position: p, quaternion: q } = this.target;
    return { position: [p.x, p.y, p.z], quaternion: [q.x, q.y, q.z, q.w] };
  }

  dispose(): void {
    this.controls.dispose();
  }
}
