// What is drawn beside the arm: frames, the tool's path, contacts and the error at the tool.
import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, type Scene, type Vector3 } from "three";
import type { ArmModel } from "./arm_model";
import { meshCorners } from "./camera";
import { contactRing } from "./contacts";
import type { AnnotationControl, ErrorLine } from "./control";
import { plate, triad } from "./frames";
import { limitArc } from "./limit_arcs";
import type { Paint } from "./colours";
import { ToolPath } from "./tool_path";
import type { ContactMark, PathPoint, Vec3 } from "./types";

export class Annotations implements AnnotationControl {
  private frames: Group[] = [];
  private contacts: Group[] = [];
  private arcs: Group[] = [];
  private errorGroup = new Group();
  private path: ToolPath | null = null;
  private planned: ToolPath | null = null;
  private body: ArmModel | null = null;
  private paint: Paint | null = null;
  private size: readonly [number, number] = [1, 1];
  private shown = {
    frames: false, path: true, points: [] as readonly PathPoint[], top: 0, plain: null as readonly number[] | null, planned: [] as readonly number[],
    contacts: [] as readonly ContactMark[], error: null as ErrorLine | null, mark: null as Vec3 | null, limits: null as readonly number[] | null,
  };

  /**
   * @param changed called when something has to be drawn.
   * @param extended called when there is another path, which may leave the picture.
   */
  constructor(private readonly changed: () => void, private readonly extended: () => void) {}

  /** Draws everything again beside a new arm or in new colours. */
  attach(scene: Scene, body: ArmModel, paint: Paint): void {
    this.body = body;
    this.paint = paint;
    this.path = new ToolPath(body.arm.reach, paint.ink);
    this.planned = new ToolPath(body.arm.reach, paint.ink, paint.ink);
    this.resize(...this.size);
    this.errorGroup = new Group();
    scene.add(this.path.group, this.planned.group, this.errorGroup);
    this.frames = [];
    this.contacts = [];
    this.arcs = [];
    this.showFrames(this.shown.frames);
    if (this.shown.plain) this.setPlainPath(this.shown.plain);
    else this.setPath(this.shown.points, this.shown.top);
    this.setPlannedPath(this.shown.planned);
    this.setMark(this.shown.mark);
    this.setContacts(this.shown.contacts);
    this.setError(this.shown.error);
    this.setLimits(this.shown.limits);
  }

  /** Shows frames: base, flange and tool named, those of the links smaller. */
  showFrames(wanted: boolean): void {
    this.shown.frames = wanted;
    for (const frame of this.frames) frame.removeFromParent();
    this.frames = [];
    const { body, paint } = this;
    if (wanted && body && paint) {
      const reach = body.arm.reach;
      const add = (parent: { add(child: Group): unknown }, length: number, name = ""): void => {
        const frame = triad(length * reach, name, paint.ink, paint.surface);
        parent.add(frame);
        this.frames.push(frame);
      };
      add(body.group, 0.16, "base");
      body.links.slice(1, -1).forEach((link) => add(link, 0.09));
      const apart = body.flange.matrix.elements.some((value, k) => Math.abs(value - body.tool.matrix.elements[k]!) > 1e-6);
      if (apart) add(body.flange, 0.12, "flange");
      add(body.tool, 0.14, apart ? "tool" : "flange, tool");
    }
    this.changed();
  }

  showPath(wanted: boolean): void {
    this.shown.path = wanted;
    for (const path of [this.path, this.planned]) if (path) path.group.visible = wanted;
    this.changed();
  }

  /** Draws the path coloured by value, from 0 to `top`. */
  setPath(points: readonly PathPoint[], top: number): void {
    const another = points.length !== this.shown.points.length;
    Object.assign(this.shown, { points, top, plain: null });
    this.path?.set(points, top);
    this.showPath(this.shown.path);
    if (another) this.extended();
  }

  /** Returns the corners of the box of a recorded path; none where the path is that of a live arm, which grows. */
  pathCorners(): Vector3[] {
    return this.path && !this.shown.plain ? meshCorners(this.path.group) : [];
  }

  /** Draws the path in one colour: positions one after the other. */
  setPlainPath(positions: readonly number[]): void {
    this.shown.plain = positions;
    this.path?.setPlain(positions);
    this.showPath(this.shown.path);
  }

  setPlannedPath(positions: readonly number[]): void {
    this.shown.planned = positions;
    this.planned?.setPlain(positions);
    this.changed();
  }

  setMark(position: Vec3 | null): void {
    this.shown.mark = position;
    this.path?.setMark(position);
    this.changed();
  }

  /** Shows contacts as rings about their joints; the joints' links glow. */
  setContacts(contacts: readonly ContactMark[]): void {
    this.shown.contacts = contacts;
    for (const ring of this.contacts) ring.removeFromParent();
    this.contacts = [];
    const { body, paint } = this;
    if (!body || !paint) return;
    const [first] = contacts;
    body.setGlow(first?.joint ?? -1, paint.bad, first?.strength ?? 0);
    for (const contact of contacts) {
      const ring = contactRing(contact, 0.085 * body.arm.reach, paint);
      body.jointFrame(contact.joint)?.add(ring);
      this.contacts.push(ring);
    }
    this.changed();
  }

  /** Shows the ranges of revolute joints as arcs about their axes. */
  setLimits(q: readonly number[] | null): void {
    this.shown.limits = q;
    for (const arc of this.arcs) arc.removeFromParent();
    this.arcs = [];
    const { body, paint } = this;
    if (q && body && paint) {
      body.arm.joints.forEach((joint, k) => {
        if (joint.kind !== "revolute") return;
        const arc = limitArc(joint, q[k] ?? 0, 0.085 * body.arm.reach, paint);
        body.jointFrame(k)?.add(arc);
        this.arcs.push(arc);
      });
    }
    this.changed();
  }

  /** Shows the error between two places of the tool as a line with its length as text. */
  setError(error: ErrorLine | null): void {
    this.shown.error = error;
    this.errorGroup.clear();
    const { body, paint } = this;
    if (error && body && paint) {
      const shape = new BufferGeometry().setAttribute("position", new Float32BufferAttribute([...error.from, ...error.to], 3));
      const line = new Line(shape, new LineBasicMaterial({ color: paint.bad, depthTest: false, toneMapped: false }));
      const text = plate(error.text, paint.ink, paint.surface);
      text.position.set(...error.to);
      line.renderOrder = 5;
      this.errorGroup.add(line, text);
    }
    this.changed();
  }

  resize(width: number, height: number): void {
    this.size = [width, height];
    this.path?.resize(width, height);
    this.planned?.resize(width, height);
  }
}
