// Messages between a page and the worker that draws its scene.
import type { AnnotationControl, BranchControl, Drawn, GizmoControl, SceneControl } from "./control";
import type { Pose } from "./gizmo";
import type { Graphics } from "./graphics";
import type { Box, PassedEvent } from "./input_events";
import type { Paint } from "./colours";
import type { Appearance, Size } from "./surface";
import type { ArmDescription } from "./types";

/** Calls without an answer, by the object that takes them. */
export interface Calls {
  scene: Pick<SceneControl, "setPoses" | "setGhostPoses" | "setView" | "fit" | "refit"> & { hurry(): void };
  gizmo: Pick<GizmoControl, "show" | "setMode">;
  annotations: AnnotationControl;
  branches: Pick<BranchControl, "set" | "highlight">;
}

export type ToWorker =
  | { readonly kind: "start"; readonly canvas: OffscreenCanvas; readonly graphics: Graphics; readonly appearance: Appearance }
  | { readonly kind: "arm"; readonly number: number; readonly arm: ArmDescription; readonly glb: ArrayBuffer | null }
  | { readonly kind: "call"; readonly of: keyof Calls; readonly name: string; readonly given: readonly unknown[] }
  | { readonly kind: "resize"; readonly size: Size }
  | { readonly kind: "paint"; readonly paint: Paint }
  | { readonly kind: "input"; readonly event: PassedEvent; readonly box: Box };

export type FromWorker =
  | { readonly kind: "drawn"; readonly drawn: Drawn }
  | { readonly kind: "arm"; readonly number: number; readonly trouble: string }
  | { readonly kind: "drag"; readonly wanted: Pose }
  | { readonly kind: "dragged" }
  | { readonly kind: "picked"; readonly branch: number }
  | { readonly kind: "fault" };
