/** The target of the arm and the ways to move towards it; shared by sliders, jog and gizmo. */
import { Mover } from "../robot/mover";
import { robot } from "../robot/robot.svelte";
import type { Warning } from "../robot/messages";
import { stream } from "../robot/stream";

const ARRIVED = 1e-5;
const PROBLEM_MS = 6000;
/** A target that follows another one within this time belongs to the same gesture: an arrow key that is held. */
const GESTURE_MS = 400;

const apart = (a: number[], b: number[]): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? 0))), 0);

class Motion {
  /** Target joint positions; those of the arm, unless `armed`. */
  target = $state.raw<number[]>([]);
  armed = $state(false);
  percent = $state(50);
  follows = $state(true);
  problem = $state("");
  /** Link frames of a pale second arm, or null. */
  ghost = $state.raw<number[][] | null>(null);
  /** Warnings about the newest position that was previewed. */
  previewed = $state.raw<Warning[]>([]);
  /** A position that a panel shows as the ghost, such as a taught one. */
  shownPosition = $state.raw<number[] | null>(null);
  /** The tool's path to it: positions in base [m], one after the other. */
  shownPath = $state.raw<number[]>([]);
  readonly mover = new Mover();
  private fading = 0;
  /** When the newest gesture began: its number. Somebody's STOP ends it, however long this page was held up. */
  private gesture = 0;
  private aimed = 0;
  private pointerDown = false;

  constructor() {
    addEventListener("pointerdown", () => ([this.gesture, this.pointerDown] = [Date.now(), true]), true);
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => (this.pointerDown = false), true);
    stream.on("hello", () => (this.armed = false));
    stream.on("state", () => this.show());
    stream.on("link", (connected) => connected || this.mover.end());
    stream.on("preview", (preview) => {
      if (this.shownPosition || (this.armed && !this.followsNow)) this.ghost = preview.links;
      this.previewed = preview.warnings;
    });
    stream.on("error", (message) => this.complain(message.error));
    stream.on("pressed", () => this.forget());
  }

  get simulated(): boolean {
    return robot.hello?.kind === "simulated";
  }

  get followsNow(): boolean {
    return this.simulated && this.follows;
  }

  /** Whether this client may not move the arm now. */
  get blocked(): boolean {
    return robot.lost || (!robot.mine && !(this.simulated && !robot.holder));
  }

  /** Why the arm cannot be moved, or "". */
  get watching(): string {
    if (robot.lost) return "Lost: nothing can be moved, and what is shown is old.";
    if (robot.mine) return "";
    if (robot.holder) return `${robot.holder} has control; you are watching.`;
    return this.simulated ? "" : "Take control (above) to move this arm.";
  }

  get away(): boolean {
    return this.armed && apart(this.target, robot.state?.q ?? []) > ARRIVED;
  }

  aim(target: number[]): void {
    if (this.blocked) return;
    const now = Date.now();
    if (!this.pointerDown && now - this.aimed > GESTURE_MS) this.gesture = now;
    [this.target, this.armed, this.aimed] = [target, true, now];
    if (this.followsNow) this.go();
    else stream.send({ type: "preview", q: target });
  }

  go(): void {
    if (this.simulated) stream.send({ type: "take" });
    this.mover.begin(() => {
      const q = stream.state?.q;
      if (!this.armed || !q || apart(this.target, q) <= ARRIVED) return null;
      return { type: "follow", q: this.target, speed: this.percent / 100 };
    }, this.followsNow ? this.gesture : Date.now());
  }

  jog(axis: number, sign: number, frame: string): void {
    if (this.simulated) stream.send({ type: "take" });
    this.armed = false;
    this.mover.begin(() => ({ type: "jog", axis, sign, frame, speed: this.percent / 100 }));
  }

  end(): void {
    this.mover.end();
    stream.send({ type: "end_motion" });
  }

  forget(): void {
    this.mover.end();
    this.armed = false;
    this.ghost = null;
  }

  /** Shows a position as the ghost; null ends it. */
  preview(q: number[] | null): void {
    this.shownPosition = q;
    this.shownPath = [];
    if (q) stream.send({ type: "preview", q: [...q] });
    else this.ghost = null;
  }

  complain(text: string): void {
    this.problem = text;
    if (this.followsNow) this.forget();
    clearTimeout(this.fading);
    this.fading = setTimeout(() => (this.problem = ""), PROBLEM_MS) as unknown as number;
  }

  private show(): void {
    const state = stream.state;
    if (!state) return;
    const arrived = this.armed && !this.mover.busy && this.followsNow && apart(this.target, state.q) <= ARRIVED;
    if (arrived) this.armed = false;
    if (!this.armed) this.target = state.q;
    if (!this.shownPosition && (!this.armed || this.followsNow)) this.ghost = state.target_links ?? null;
  }
}

export const motion = new Motion();
