// The tool's path, coloured by a value (error or speed), with the current point marked.
import { Color, Group, Mesh, MeshBasicMaterial, SphereGeometry } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { PathPoint, Vec3 } from "./types";
import { viridis } from "./viridis";

export class ToolPath {
  readonly group = new Group();
  private readonly material = new LineMaterial({ linewidth: 3, vertexColors: true, worldUnits: false, toneMapped: false });
  private readonly plain: LineMaterial;
  private readonly mark: Mesh;
  private line: Line2 | null = null;

  constructor(reach: number, colour: string, plain: string | number = 0xe07b00) {
    this.plain = new LineMaterial({ linewidth: 2.5, color: plain, toneMapped: false });
    this.mark = new Mesh(new SphereGeometry(0.011 * reach, 20, 12), new MeshBasicMaterial({ color: colour, toneMapped: false }));
    this.mark.visible = false;
    this.group.add(this.mark);
  }

  /** Draws a path whose values are spread over the colour map from 0 to `top`. */
  set(points: readonly PathPoint[], top: number): void {
    const colours = points.flatMap((point) => {
      const linear = new Color().setRGB(...viridis(top > 0 ? point.value / top : 0), "srgb");
      return [linear.r, linear.g, linear.b];
    });
    this.replace(points.flatMap((point) => [...point.position]), colours);
  }

  /** Draws a path in one colour: positions one after the other. */
  setPlain(positions: readonly number[]): void {
    this.replace([...positions], null);
  }

  private replace(positions: number[], colours: number[] | null): void {
    this.line?.geometry.dispose();
    this.line?.removeFromParent();
    this.line = null;
    if (positions.length < 6) return;
    const shape = new LineGeometry();
    shape.setPositions(positions);
    if (colours) shape.setColors(colours);
    this.line = new Line2(shape, colours ? this.material : this.plain);
    this.line.frustumCulled = false;
    this.group.add(this.line);
  }

  setMark(position: Vec3 | null): void {
    this.mark.visible = position !== null;
    if (position) this.mark.position.set(...position);
  }

  resize(width: number, height: number): void {
    this.material.resolution.set(width, height);
    this.plain.resolution.set(width, height);
  }
}
