// What a page does with a scene, wherever it is drawn: in the page's own thread, or in a worker.
import type { View } from "./views";
import type { Pose } from "./gizmo";
import type { ArmDescription, BranchShape, ContactMark, LinkPoses, PathPoint, Vec3 } from "./types";

export interface ErrorLine {
  readonly from: Vec3;
  readonly to: Vec3;
  readonly text: string;
}

export interface GizmoControl {
  /** Called while the tool is dragged, with the wanted pose in base. */
  onDrag: (wanted: Pose) => void;
  /** Called when the gizmo is let go. */
  onEnd: () => void;
  show(wanted: boolean): void;
  setMode(mode: "translate" | "rotate"): void;
}

export interface AnnotationControl {
  showFrames(wanted: boolean): void;
  showPath(wanted: boolean): void;
  /** Draws the path coloured by value, from 0 to `top`. */
  setPath(points: readonly PathPoint[], top: number): void;
  /** Draws the path in one colour: positions one after the other. */
  setPlainPath(positions: readonly number[]): void;
  /** Draws a path that the tool shall take, beside the other one: positions one after the other. */
  setPlannedPath(positions: readonly number[]): void;
  setMark(position: Vec3 | null): void;
  setContacts(contacts: readonly ContactMark[]): void;
  setError(error: ErrorLine | null): void;
  /** Shows the limits of the joints about their axes at joint positions; hides them with null. */
  setLimits(q: readonly number[] | null): void;
}

/** Ghosts of other branches of the inverse kinematics. */
export interface BranchControl {
  /** Called with the number of a ghost, from 0, that was clicked. */
  onPick: (branch: number) => void;
  set(branches: readonly BranchShape[]): void;
  /** Shows one of them, with its name, before the others; -1 for none. */
  highlight(branch: number): void;
}

export interface SceneControl {
  /** The element that holds the picture; its data say what is drawn. */
  readonly place: HTMLElement;
  readonly gizmo: GizmoControl;
  readonly annotations: AnnotationControl;
  readonly branches: BranchControl;
  /** Shows an arm; `glb` holds its meshes where it has them. */
  setArm(arm: ArmDescription, glb?: ArrayBuffer | null): Promise<void>;
  /** Moves the links; steps between states are interpolated unless `jump`. */
  setPoses(poses: LinkPoses, jump?: boolean): void;
  /** Shows the ghost; hides it with null. */
  setGhostPoses(poses: LinkPoses | null): void;
  setView(view: View): void;
  fit(): void;
  /** Fits the arm again, unless a person has turned the view. */
  refit(): void;
  /** Takes the colours of the page again, after its theme changed. */
  refreshTheme(): void;
  dispose(): void;
}

/** What a scene says about itself. */
export interface SceneEvents {
  /** Nothing can be drawn. */
  readonly onfault: () => void;
  /** Pictures are drawn without a GPU. */
  readonly onsoftware: () => void;
}

/** What a scene says about a picture. */
export interface Drawn {
  /** Pictures so far. */
  readonly count: number;
  readonly coarse: boolean;
  /** Where the tool is in the picture [CSS pixels from its top left]. */
  readonly tool: readonly [number, number];
  /** Whether pictures are drawn without a GPU. */
  readonly software: boolean;
  /** Number of branches that are drawn, and where the first of them has its number [CSS pixels from the top left]. */
  readonly branches: number;
  readonly firstBranch: readonly [number, number] | null;
}

/** Writes onto the element what is drawn. */
export function noteDrawn(place: HTMLElement, events: SceneEvents, drawn: Drawn): void {
  place.dataset["quality"] = drawn.coarse ? "coarse" : "fine";
  place.dataset["drawn"] = String(drawn.count);
  place.dataset["posed"] = "yes";
  place.dataset["tool"] = drawn.tool.map((value) => value.toFixed(1)).join();
  place.dataset["branches"] = String(drawn.branches);
  place.dataset["firstBranch"] = drawn.firstBranch?.map((value) => value.toFixed(1)).join() ?? "";
  if (drawn.software && drawn.count === 1) events.onsoftware();
}
