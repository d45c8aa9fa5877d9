// A scene drawn in the page's own thread: for pages without an arm to stop, and browsers that cannot draw in workers.
import { ArmScene } from "./arm_scene";
import { noteDrawn, type SceneControl, type SceneEvents } from "./control";
import { chosenGraphics } from "./graphics";
import { paintOf } from "./colours";
import { watchInputs } from "./input_events";
import { canvasIn, sizeOf, watchSize } from "./place";

/** Returns a scene in an element. */
export function localScene(place: HTMLElement, events: SceneEvents): SceneControl {
  const canvas = canvasIn(place);
  const surface = { canvas, input: canvas, graphics: chosenGraphics(), ondrawn: noteDrawn.bind(null, place, events) };
  const scene = new ArmScene(surface, { size: sizeOf(place), paint: paintOf(place) });
  const forget = watchSize(place, (size) => scene.resize(size));
  const unwatch = watchInputs(() => scene.hurry());
  return {
    place,
    gizmo: scene.gizmo,
    annotations: scene.annotations,
    branches: scene.branches,
    setArm: (arm, glb) => scene.setArm(arm, glb),
    setPoses: (poses, jump) => scene.setPoses(poses, jump),
    setGhostPoses: (poses) => scene.setGhostPoses(poses),
    setView: (view) => scene.setView(view),
    fit: () => scene.fit(),
    refit: () => scene.refit(),
    refreshTheme: () => scene.setPaint(paintOf(place)),
    dispose: () => {
      forget();
      unwatch();
      scene.dispose();
      canvas.remove();
    },
  };
}
