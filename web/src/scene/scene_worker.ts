// Draws a scene in a worker, so that no picture, however slow, keeps the page from hearing STOP.
import { ArmScene } from "./arm_scene";
import { CanvasStandIn } from "./canvas_stand_in";
import type { FromWorker, ToWorker } from "./worker_messages";

// The gizmo of three.js asks the document whether the pointer is locked.
Object.assign(self, { document: { pointerLockElement: null } });

const input = new CanvasStandIn();
let scene: ArmScene | null = null;

const send = (message: FromWorker): void => self.postMessage(message);

function start({ canvas, graphics, appearance }: Extract<ToWorker, { kind: "start" }>): void {
  try {
    const surface = { canvas, input: input as unknown as HTMLElement, graphics };
    scene = new ArmScene({ ...surface, ondrawn: (drawn) => send({ kind: "drawn", drawn }) }, appearance);
  } catch {
    send({ kind: "fault" });
    return;
  }
  scene.gizmo.onDrag = (wanted) => send({ kind: "drag", wanted });
  scene.gizmo.onEnd = () => send({ kind: "dragged" });
  scene.branches.onPick = (branch) => send({ kind: "picked", branch });
}

async function setArm({ number, arm, glb }: Extract<ToWorker, { kind: "arm" }>): Promise<void> {
  try {
    await scene?.setArm(arm, glb);
    send({ kind: "arm", number, trouble: "" });
  } catch (error) {
    send({ kind: "arm", number, trouble: error instanceof Error ? error.message : String(error) });
  }
}

function call({ of, name, given }: Extract<ToWorker, { kind: "call" }>): void {
  const target: unknown = of === "scene" ? scene : scene?.[of];
  (target as Record<string, ((...values: unknown[]) => void) | undefined> | null | undefined)?.[name]?.(...given);
}

self.onmessage = ({ data }: MessageEvent<ToWorker>): void => {
  if (data.kind === "start") start(data);
  else if (data.kind === "arm") void setArm(data);
  else if (data.kind === "call") call(data);
  else if (data.kind === "paint") scene?.setPaint(data.paint);
  else if (data.kind === "input") input.take(data.event, data.box);
  else {
    input.resize(data.size.width, data.size.height);
    scene?.resize(data.size);
  }
};
