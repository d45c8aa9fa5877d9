// Draws a moment of a played recording: the recorded arm, its ghost, the error at the tool, contacts.
import { contactsAt, drawErrorLine } from "../file/drawing";
import type { SceneControl } from "../scene/control";
import type { PathPoint, Vec3 } from "../scene/types";
import { rowOf, type Window } from "./content";
import type { player as Player } from "./player.svelte";

/** Draws the moment of a time [s]. */
export function drawMoment(scene: SceneControl, player: typeof Player, time: number, reach: number): void {
  const found = player.framesAt(time);
  if (!found) return;
  const { frames, row } = found;
  const links = rowOf(frames, "links", row);
  if (links) scene.setPoses(Float64Array.from(links), true);
  const ghost = rowOf(frames, "ghost", row);
  scene.setGhostPoses(ghost ? Float64Array.from(ghost) : null);
  const [from, to] = [rowOf(frames, "position", row), rowOf(frames, "tool", row)];
  drawErrorLine(scene, from && to ? { from: vec(from), to: vec(to) } : null, reach);
  scene.annotations.setContacts(contactsAt(player.info?.contacts ?? [], time));
}

/** Draws the tool's path, coloured by its error where positions were recorded. Returns the top of the scale. */
export function drawWholePath(scene: SceneControl, { frames }: Window): number {
  const [tool, error] = [frames["tool"]?.values, frames["error"]?.values];
  if (!tool) return 0;
  if (!error?.some(Number.isFinite)) {
    scene.annotations.setPlainPath(Array.from(tool));
    return 0;
  }
  const points: PathPoint[] = [];
  let top = 0;
  error.forEach((value, row) => {
    if (!Number.isFinite(value)) return;
    top = Math.max(top, value);
    points.push({ position: vec(tool.subarray(3 * row, 3 * row + 3)), value });
  });
  scene.annotations.setPath(points, top);
  return top;
}

function vec(values: Float64Array): Vec3 {
  return [values[0]!, values[1]!, values[2]!];
}
