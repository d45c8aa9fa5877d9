// A scene drawn by a worker; the page only sends poses and passes pointer events on.
import { paintOf } from "./colours";
import { noteDrawn, type AnnotationControl, type BranchControl, type GizmoControl, type SceneControl, type SceneEvents } from "./control";
import { chosenGraphics } from "./graphics";
import { passEvents, watchInputs } from "./input_events";
import { canvasIn, sizeOf, watchSize } from "./place";
import type { ArmDescription, LinkPoses } from "./types";
import type { View } from "./views";
import type { Calls, FromWorker, ToWorker } from "./worker_messages";

/** Returns whether this browser can draw in a worker. */
export function canDrawRemotely(): boolean {
  return typeof Worker !== "undefined" && "transferControlToOffscreen" in HTMLCanvasElement.prototype;
}

export class RemoteScene implements SceneControl {
  readonly gizmo: GizmoControl;
  readonly annotations: AnnotationControl;
  readonly branches: BranchControl;
  private readonly worker = new Worker(new URL("./scene_worker.ts", import.meta.url), { type: "module" });
  private readonly canvas: HTMLCanvasElement;
  private readonly forget: () => void;
  private readonly waiting = new Map<number, (trouble: string) => void>();
  private arms = 0;

  constructor(
    readonly place: HTMLElement,
    private readonly events: SceneEvents,
  ) {
    this.canvas = canvasIn(place);
    this.gizmo = {
      onDrag: () => {},
      onEnd: () => {},
      show: (wanted) => this.call("gizmo", "show", wanted),
      setMode: (mode) => this.call("gizmo", "setMode", mode),
    };
    this.annotations = {
      showFrames: (wanted) => this.call("annotations", "showFrames", wanted),
      showPath: (wanted) => this.call("annotations", "showPath", wanted),
      setPath: (points, top) => this.call("annotations", "setPath", points, top),
      setPlainPath: (positions) => this.call("annotations", "setPlainPath", positions),
      setPlannedPath: (positions) => this.call("annotations", "setPlannedPath", positions),
      setMark: (position) => this.call("annotations", "setMark", position),
      setContacts: (contacts) => this.call("annotations", "setContacts", contacts),
      setError: (error) => this.call("annotations", "setError", error),
      setLimits: (q) => this.call("annotations", "setLimits", q),
    };
    this.branches = {
      onPick: () => {},
      set: (branches) => this.call("branches", "set", branches),
      highlight: (branch) => this.call("branches", "highlight", branch),
    };
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data);
    this.worker.onerror = () => this.events.onfault();
    const canvas = this.canvas.transferControlToOffscreen();
    const appearance = { size: sizeOf(place), paint: paintOf(place) };
    this.send({ kind: "start", canvas, graphics: chosenGraphics(), appearance }, [canvas]);
    passEvents(this.canvas, (event, box) => this.send({ kind: "input", event, box }));
    const forgetSize = watchSize(place, (size) => this.send({ kind: "resize", size }));
    const unwatch = watchInputs(() => this.call("scene", "hurry"));
    this.forget = () => {
      forgetSize();
      unwatch();
    };
  }

  setArm(arm: ArmDescription, glb: ArrayBuffer | null = null): Promise<void> {
    const number = ++this.arms;
    delete this.place.dataset["posed"];
    this.send({ kind: "arm", number, arm, glb });
    return new Promise((resolve, reject) => {
      this.waiting.set(number, (trouble) => (trouble ? reject(new Error(trouble)) : resolve()));
    });
  }

  setPoses(poses: LinkPoses, jump = false): void {
    this.call("scene", "setPoses", poses, jump);
  }

  setGhostPoses(poses: LinkPoses | null): void {
    this.call("scene", "setGhostPoses", poses);
  }

  setView(view: View): void {
    this.call("scene", "setView", view);
  }

  fit(): void {
    this.call("scene", "fit");
  }

  refit(): void {
    this.call("scene", "refit");
  }

  refreshTheme(): void {
    this.send({ kind: "paint", paint: paintOf(this.place) });
  }

  dispose(): void {
    this.forget();
    this.worker.terminate();
    this.canvas.remove();
  }

  private call<O extends keyof Calls, N extends keyof Calls[O] & string>(of: O, name: N, ...given: Calls[O][N] extends (...values: infer G) => unknown ? G : never): void {
    this.send({ kind: "call", of, name, given });
  }

  private send(message: ToWorker, moved: Transferable[] = []): void {
    this.worker.postMessage(message, moved);
  }

  private hear(message: FromWorker): void {
    if (message.kind === "drawn") noteDrawn(this.place, this.events, message.drawn);
    else if (message.kind === "drag") this.gizmo.onDrag(message.wanted);
    else if (message.kind === "dragged") this.gizmo.onEnd();
    else if (message.kind === "picked") this.branches.onPick(message.branch);
    else if (message.kind === "fault") this.events.onfault();
    else {
      this.waiting.get(message.number)?.(message.trouble);
      this.waiting.delete(message.number);
    }
  }
}

/** Returns a scene drawn by a worker, by the page itself where the browser cannot do that. */
export async function appScene(place: HTMLElement, events: SceneEvents): Promise<SceneControl> {
  if (canDrawRemotely()) return new RemoteScene(place, events);
  return (await import("./local_scene")).localScene(place, events);
}
