/** The recent past of the robot in memory, and the charts that the user selected. */
import { units } from "../../app/units.svelte";
import type { RobotState } from "../../robot/messages";
import { request } from "../../robot/requests";
import { stream } from "../../robot/stream";
import { LiveBuffer } from "./buffer";

export const JOINTWISE = ["q", "qd", "tau", "current", "residual"] as const;
export const SINGLE = ["power", "energy"] as const;
type Key = (typeof JOINTWISE)[number] | (typeof SINGLE)[number];

export interface ChartKind {
  key: Key;
  title: string;
  unit: string;
  scale: number;
  least: number;
  single?: boolean;
}

/** All charts, in the units that are wanted. */
export function chartKinds(): ChartKind[] {
  const radians = units.angle === "rad";
  const turn = radians ? 1 : Math.PI / 180;
  return [
    { key: "q", title: "Position", unit: radians ? "rad" : "°", scale: turn, least: 0.05 },
    { key: "qd", title: "Speed", unit: radians ? "rad/s" : "°/s", scale: turn, least: 0.05 },
    { key: "residual", title: "Torque residual", unit: "Nm", scale: 1, least: 1 },
    { key: "current", title: "Current", unit: "A", scale: 1, least: 0.1 },
    { key: "tau", title: "Torque", unit: "Nm", scale: 1, least: 1 },
    { key: "power", title: "Power", unit: "W", scale: 1, least: 10, single: true },
    { key: "energy", title: "Energy", unit: "J", scale: 1, least: 10, single: true },
  ];
}

type Past = Pick<RobotState, "t" | "q" | "qd" | "tau" | "current" | "residual" | "power" | "energy">;

class LiveData {
  buffer: LiveBuffer | null = null;
  dof = $state(6);
  /** Counts samples; charts that are drawn compare it with what they have drawn. */
  samples = 0;
  present = $state<Record<string, boolean>>({});
  /** Counts arms and restarts of their clock. */
  beginnings = $state(0);
  private row = new Float32Array(0);
  private turn = 0;

  constructor() {
    stream.on("hello", (hello) => void this.greet(hello.arm.dof));
    stream.on("state", (state) => this.take(state));
  }

  /** Places of a chart's lines in the buffer. */
  places(key: Key): number[] {
    const group = (JOINTWISE as readonly string[]).indexOf(key);
    if (group < 0) return [JOINTWISE.length * this.dof + (SINGLE as readonly string[]).indexOf(key)];
    return Array.from({ length: this.dof }, (_, k) => group * this.dof + k);
  }

  private async greet(dof: number): Promise<void> {
    this.dof = dof;
    this.buffer = null;
    this.beginnings++;
    const buffer = new LiveBuffer(JOINTWISE.length * dof + SINGLE.length);
    this.row = new Float32Array(buffer.series);
    const turn = ++this.turn;
    const past = await request<Past[]>("GET", "/api/live/history").catch(() => []);
    if (turn !== this.turn) return; // another arm was shown meanwhile
    this.present = {};
    for (const state of past) buffer.push(state.t, this.rowOf(state));
    this.buffer = buffer;
    this.look();
  }

  private take(state: RobotState): void {
    const buffer = this.buffer;
    if (!buffer) return;
    if (state.t < buffer.last - 1) {
      buffer.clear();
      this.beginnings++;
    }
    if (!buffer.push(state.t, this.rowOf(state))) return;
    this.samples++;
    if (this.samples % 25 === 1) this.look();
  }

  private rowOf(state: Past): Float32Array {
    const row = this.row;
    JOINTWISE.forEach((key, group) => {
      for (let k = 0; k < this.dof; k++) row[group * this.dof + k] = state[key]?.[k] ?? NaN;
    });
    SINGLE.forEach((key, k) => (row[JOINTWISE.length * this.dof + k] = state[key] ?? NaN));
    return row;
  }

  /** Marks every chart of which values have been seen. */
  private look(): void {
    for (const { key } of chartKinds()) {
      if (!this.present[key] && this.places(key).some((place) => this.buffer?.seen[place])) this.present[key] = true;
    }
  }
}

export const liveData = new LiveData();
