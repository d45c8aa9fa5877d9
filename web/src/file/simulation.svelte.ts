// The arm let go in the page: forward dynamics from the posture that is shown, in real time.
import { Rollout, type Torques } from "../kernels/rollout";
import type { Tables } from "../kernels/comparison";
import { sampleAt } from "../timeline/clock.svelte";
import type { Session } from "./session.svelte";

export type Drive = "none" | "gravity" | "recorded";

/** Longest time that one picture simulates [s]: a slow browser slows the arm down instead of waiting. */
const MAX_STEP = 0.1;
const REST = 1e-3;
/** A joint as near as this to its limit has reached it [rad | m]. */
const TOUCH = 1e-6;

/** Whether the torques and speeds that a simulation needs were recorded. */
export const hasTorques = (tables: Tables | null): boolean => Boolean(tables?.["real.tau"] && tables["motion.qd"]);

export class Simulation {
  running = $state(false);
  /** Simulated time [s]. */
  time = $state(0);
  /** Simulated time over processor time of the newest run. */
  pace = $state(0);
  /** Why it ended, or "". */
  ended = $state("");
  drive = $state<Drive>("gravity");
  /** Recording time at the start [s]. */
  private from = 0;
  private begun: Float64Array = new Float64Array();
  private rollout: Rollout | null = null;
  private spent = 0;

  constructor(private readonly session: Session) {}

  /** Whether the arm has masses. */
  get possible(): boolean {
    return "plant_step" in this.session.twin.arm.manifest.functions;
  }

  /** Lets the arm go from the posture that is shown; a recording's speed is taken over with its torques. */
  start(): void {
    const { session } = this;
    this.from = session.clock.time;
    const q = session.jointsAt(this.from);
    this.begun = Float64Array.from(q);
    const speed = this.drive === "recorded" ? this.recordedSpeed() : new Float64Array(q.length);
    this.rollout = new Rollout(session.twin.plantStep(), q, speed);
    [this.time, this.spent, this.pace, this.ended, this.running] = [0, 0, 0, "", true];
    session.clock.pause();
    session.q = this.begun;
    session.mode = "simulation";
    let last = performance.now();
    const frame = (now: number): void => {
      if (session.mode !== "simulation") this.running = false;
      if (!this.running) return;
      this.advance(Math.min((now - last) / 1000, MAX_STEP));
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  stop(): void {
    this.running = false;
  }

  /** Simulates some seconds more, and shows the arm there. */
  advance(seconds: number): void {
    const { rollout, session } = this;
    if (!rollout || !(seconds > 0)) return;
    const began = performance.now();
    const goesOn = rollout.advance(rollout.time + seconds, this.torques());
    this.spent += performance.now() - began;
    this.time = rollout.time;
    this.pace = this.spent > 0 ? (1000 * rollout.time) / this.spent : 0;
    session.q = Float64Array.from(rollout.q);
    if (!goesOn) this.end(this.reason());
    else if (this.drive !== "recorded" && rollout.time > 0.5 && rollout.qd.every((v) => Math.abs(v) < REST)) this.end("The arm is at rest.");
  }

  /** Where the arm would be without the simulation: at its start, or as recorded. */
  reference(): Float64Array {
    return this.drive === "recorded" ? this.session.recordedAt(this.from + this.time) : this.begun;
  }

  private end(why: string): void {
    [this.ended, this.running] = [why, false];
  }

  private reason(): string {
    const joint = this.atLimit(this.rollout!.q);
    if (joint >= 0) return `Joint ${joint + 1} reached its limit.`;
    return this.drive === "recorded" ? "The recorded torques end here." : "The motion is not finite.";
  }

  private atLimit(q: Float64Array): number {
    return this.session.content.arm.joints.findIndex((joint, k) => q[k]! <= joint.lower + TOUCH || q[k]! >= joint.upper - TOUCH);
  }

  private torques(): Torques {
    const inside = (q: Float64Array): boolean => this.atLimit(q) < 0 || this.time === 0;
    if (this.drive === "none") return (_, q, tau) => (tau.fill(0), inside(q));
    if (this.drive === "gravity") {
      const hold = this.session.arm.holding();
      return (_, q, tau) => (tau.set(hold(q)), inside(q));
    }
    const [times, table] = [this.session.times, this.session.tables!["real.tau"]!];
    const last = times[times.length - 1]!;
    return (time, q, tau) => {
      const at = this.from + time;
      const row = sampleAt(times, at) * table.columns;
      tau.set(table.values.subarray(row, row + table.columns));
      return at <= last && tau.every(Number.isFinite) && inside(q);
    };
  }

  private recordedSpeed(): Float64Array {
    const table = this.session.tables!["motion.qd"]!;
    const row = sampleAt(this.session.times, this.from) * table.columns;
    return table.values.slice(row, row + table.columns).map((v) => (Number.isFinite(v) ? v : 0));
  }
}
