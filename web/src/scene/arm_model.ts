// One arm in the scene: a group for every link frame, filled with solids or with the nodes of a GLB file.
import { Color, Group, Matrix4, Mesh, MeshStandardMaterial, Object3D, type BufferGeometry } from "three";
import { ghostPaint, standard, surface } from "./paint";
import { solid } from "./solids";
import type { ArmDescription, LinkPoses } from "./types";

export const DEPTH_ORDER = 1;
export const GHOST_ORDER = 2;

export interface Look {
  readonly dark: boolean;
  /** Colour of a ghost; absent for the arm itself. */
  readonly ghost?: string;
  /** Opacity of a ghost. */
  readonly opacity?: number;
}

export class ArmModel {
  readonly group = new Group();
  readonly links: readonly Group[];
  readonly flange = new Group();
  readonly tool = new Group();
  private readonly axes = new Map<number, Group>();
  private glow = -1;

  constructor(
    readonly arm: ArmDescription,
    private look: Look,
  ) {
    this.links = Array.from({ length: arm.rows + 1 }, () => new Group());
    this.group.add(...this.links);
    this.links[0]?.applyMatrix4(new Matrix4().fromArray([...arm.frame]));
    this.flange.applyMatrix4(new Matrix4().fromArray([...arm.flange]));
    this.tool.applyMatrix4(new Matrix4().fromArray([...arm.tool]));
    this.links.at(-1)?.add(this.flange, this.tool);
    if (!arm.meshes) this.addParts();
  }

  private addParts(): void {
    for (const part of this.arm.parts) {
      const shape = solid(part);
      shape.applyMatrix4(new Matrix4().fromArray([...part.pose]));
      this.add(part.link, shape, surface(part, this.look.dark));
    }
  }

  /** Adds the nodes link_0 ... link_n of a loaded GLB scene; geometry is shared, materials are not. */
  addNodes(scene: Object3D): void {
    for (const [row, link] of this.links.entries()) {
      const node = scene.children.find((child) => child.name === `link_${row}`);
      if (!link || !node) continue;
      node.updateMatrixWorld(true);
      node.traverse((child) => {
        if (!(child instanceof Mesh)) return;
        const own = child.material as MeshStandardMaterial;
        this.add(row, child.geometry as BufferGeometry, standard(own.color.clone(), own.opacity), child.matrixWorld);
      });
    }
  }

  private add(row: number, shape: BufferGeometry, paint: MeshStandardMaterial, matrix?: Matrix4): void {
    const link = this.links[row];
    // A ghost has no base of its own: it would cover that of the arm.
    if (!link || (this.look.ghost && row === 0)) return;
    const meshes = this.look.ghost ? this.ghostMeshes(shape, this.look.ghost) : [new Mesh(shape, paint)];
    for (const mesh of meshes) {
      // Shadows of the arm on itself would show the shadow map's grid on its round surfaces.
      mesh.castShadow = !this.look.ghost;
      if (matrix) mesh.applyMatrix4(matrix);
      link.add(mesh);
    }
  }

  private ghostMeshes(shape: BufferGeometry, colour: string): Mesh[] {
    const paint = ghostPaint(colour, this.look.opacity);
    const [depth, layer] = [new Mesh(shape, paint.depth), new Mesh(shape, paint.colour)];
    depth.renderOrder = DEPTH_ORDER;
    layer.renderOrder = GHOST_ORDER;
    return [depth, layer];
  }

  /** Puts every link where its frame is. */
  pose(poses: LinkPoses): void {
    for (let row = 1; row < this.links.length; row += 1) {
      const at = 7 * (row - 1);
      const link = this.links[row];
      link?.position.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
      link?.quaternion.set(poses[at + 3]!, poses[at + 4]!, poses[at + 5]!, poses[at + 6]!);
    }
    this.group.updateMatrixWorld(true);
  }

  /** Returns a group at a joint's axis, its z along the axis. */
  jointFrame(joint: number): Group | undefined {
    const found = this.arm.joints[joint];
    if (!found) return undefined;
    let frame = this.axes.get(joint);
    if (!frame) {
      frame = new Group();
      frame.applyMatrix4(new Matrix4().fromArray([...found.axis]));
      this.links[found.row]?.add(frame);
      this.axes.set(joint, frame);
    }
    return frame;
  }

  /** Lets the link of a joint glow, by a strength of 0 to 1. */
  setGlow(joint: number, colour: string, strength: number): void {
    const row = this.arm.joints[joint]?.row ?? -1;
    if (this.glow !== -1 && this.glow !== row) this.emit(this.glow, colour, 0);
    if (row > 0) this.emit(row, colour, strength);
    this.glow = strength > 0 ? row : -1;
  }

  /** Draws a ghost in another colour and opacity. */
  setGhost(colour: string, opacity: number): void {
    this.group.traverse((child) => {
      if (!(child instanceof Mesh) || !(child.material instanceof MeshStandardMaterial)) return;
      child.material.color.set(colour);
      child.material.opacity = opacity;
    });
  }

  private emit(row: number, colour: string, strength: number): void {
    this.links[row]?.traverse((child) => {
      if (!(child instanceof Mesh) || !(child.material instanceof MeshStandardMaterial)) return;
      child.material.emissive = new Color(colour);
      child.material.emissiveIntensity = 0.32 * strength;
    });
  }

  dispose(): void {
    this.group.traverse((child) => {
      if (!(child instanceof Mesh)) return;
      (child.geometry as BufferGeometry).dispose();
      for (const one of Array.isArray(child.material) ? child.material : [child.material]) one.dispose();
    });
    this.group.removeFromParent();
  }
}
