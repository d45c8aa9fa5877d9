// The twin on recorded joints and its difference to the recording: signals, figures, limits, verdict.
import { figures, type FigureName, type Figures, type Signal } from "./figures";
import type { Twin } from "./twin";

/** Arrays of the recording by name, with their columns. */
export interface Table {
  readonly values: Float64Array;
  readonly columns: number;
}
export type Tables = Readonly<Record<string, Table>>;

export interface Limit {
  readonly signal: string;
  readonly figure: FigureName;
  readonly value: number;
  readonly unit: string;
}

export interface Comparison {
  readonly figures: readonly Figures[];
  /** The twin's values by recorded array, in all rows; NaN where nothing is compared. */
  readonly twin: Readonly<Record<string, Float64Array>>;
  /** Distance between recorded and computed tool in all rows [m]; NaN where not recorded. */
  readonly distance: Float64Array;
  readonly broken: readonly string[];
}

const EFFORTS = { tau: "Nm", target_tau: "Nm", current: "A", power: "W" } as const;

/** Compares the twin with all recorded arrays. */
export function compare(twin: Twin, tables: Tables, limits: readonly Limit[]): Comparison {
  const found: Record<string, Float64Array> = {};
  const signals: Signal[] = [];
  const count = tables["time"]!.values.length;
  const distance = poseSignals(twin, tables, count, found, signals);
  for (const name of Object.keys(EFFORTS) as (keyof typeof EFFORTS)[]) effortSignals(twin, tables, name, found, signals);
  const table = signals.map(figures);
  return { figures: table, twin: found, distance, broken: brokenLimits(table, limits) };
}

/** Returns each limit that is not kept, as a sentence without a full stop. */
export function brokenLimits(table: readonly Figures[], limits: readonly Limit[]): string[] {
  return limits.filter((limit) => !isKept(limit, valueOf(table, limit))).map((limit) => `${limit.signal} ${limit.figure}`);
}

export function valueOf(table: readonly Figures[], limit: Limit): number | null {
  return table.find((row) => row.signal === limit.signal)?.[limit.figure] ?? null;
}

export function isKept(limit: Limit, value: number | null): boolean {
  if (value === null) return false;
  return limit.figure === "r2" ? value >= limit.value : Math.abs(value) <= limit.value;
}

// Rows in which all arrays have values.
function completeRows(parts: readonly (Table | undefined)[], count: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < count; row += 1) {
    const whole = parts.every((part) => {
      if (!part) return true;
      for (let k = row * part.columns; k < (row + 1) * part.columns; k += 1) if (!Number.isFinite(part.values[k]!)) return false;
      return true;
    });
    if (whole) rows.push(row);
  }
  return rows;
}

function taken(part: Table, rows: readonly number[]): Float64Array {
  const found = new Float64Array(rows.length * part.columns);
  rows.forEach((row, k) => found.set(part.values.subarray(row * part.columns, (row + 1) * part.columns), k * part.columns));
  return found;
}

function spread(values: Float64Array, columns: number, rows: readonly number[], count: number): Float64Array {
  const found = new Float64Array(count * columns).fill(NaN);
  rows.forEach((row, k) => found.set(values.subarray(k * columns, (k + 1) * columns), row * columns));
  return found;
}

function poseSignals(twin: Twin, tables: Tables, count: number, found: Record<string, Float64Array>, signals: Signal[]): Float64Array {
  const [position, rpy, quaternion] = [tables["real.position"], tables["real.rpy"], tables["real.quaternion"]];
  const rows = completeRows([tables["q"], position, rpy, quaternion], count);
  const nothing = new Float64Array(count).fill(NaN);
  if (!rows.length || !(position || rpy || quaternion)) return nothing;
  const made = twin.coordinates(taken(tables["q"]!, rows));
  let distance: Float64Array = nothing;
  if (position) {
    found["position"] = spread(made.position, 3, rows, count);
    const apart = positionSignals(taken(position, rows), made.position, signals);
    distance = spread(apart, 1, rows, count);
  }
  if (rpy) eulerSignals(taken(rpy, rows), made.rpy, signals);
  if (quaternion) quaternionSignals(taken(quaternion, rows), made.quaternion, signals);
  return distance;
}

function column(values: Float64Array, width: number, k: number): Float64Array {
  return Float64Array.from({ length: values.length / width }, (_, row) => values[row * width + k]!);
}

function positionSignals(real: Float64Array, made: Float64Array, signals: Signal[]): Float64Array {
  const shift = made.map((value, k) => value - real[k]!);
  ["x", "y", "z"].forEach((name, k) => signals.push({ name, unit: "m", signed: true, real: column(real, 3, k), width: 1, error: column(shift, 3, k) }));
  const error = Float64Array.from({ length: shift.length / 3 }, (_, row) => Math.sqrt(shift[3 * row]! ** 2 + shift[3 * row + 1]! ** 2 + shift[3 * row + 2]! ** 2));
  signals.push({ name: "position", unit: "m", signed: false, real, width: 3, error });
  return error;
}

function eulerSignals(real: Float64Array, made: Float64Array, signals: Signal[]): void {
  const turn = 2 * Math.PI;
  const error = made.map((value, k) => {
    const rest = (value - real[k]! + Math.PI) % turn;
    return (rest < 0 ? rest + turn : rest) - Math.PI;
  });
  ["roll", "pitch", "yaw"].forEach((name, k) => signals.push({ name, unit: "rad", signed: true, real: column(real, 3, k), width: 1, error: column(error, 3, k) }));
}

function quaternionSignals(real: Float64Array, made: Float64Array, signals: Signal[]): void {
  const apart = Float64Array.from({ length: real.length / 4 }, (_, row) => {
    let [less, more] = [0, 0];
    for (let k = 4 * row; k < 4 * row + 4; k += 1) {
      less += (real[k]! - made[k]!) ** 2;
      more += (real[k]! + made[k]!) ** 2;
    }
    return Math.sqrt(Math.min(less, more));
  });
  signals.push({ name: "quaternion", unit: "1", signed: false, real, width: 4, error: apart.map((d) => d ** 2 / 2) });
  signals.push({ name: "angle", unit: "rad", signed: false, real, width: 4, error: apart.map((d) => 4 * Math.asin(Math.min(d / 2, 1))) });
}

function effortSignals(twin: Twin, tables: Tables, name: keyof typeof EFFORTS, found: Record<string, Float64Array>, signals: Signal[]): void {
  const real = tables[`real.${name}`];
  const prefix = name === "target_tau" ? "motion.target_" : "motion.";
  const [q, qd, qdd] = [tables[`${prefix}q`], tables[`${prefix}qd`], tables[`${prefix}qdd`]];
  if (!real || !q || !qd || !qdd || !("inverse_dynamics" in twin.arm.manifest.functions)) return;
  const count = tables["time"]!.values.length;
  const rows = completeRows([real, q, qd, qdd], count);
  if (!rows.length) return;
  const motion = { q: taken(q, rows), qd: taken(qd, rows), qdd: taken(qdd, rows) };
  const made = effort(twin, name, motion);
  if (!made) return;
  found[name] = spread(made, real.columns, rows, count);
  const recorded = taken(real, rows);
  for (let k = 0; k < real.columns; k += 1) {
    const own = column(recorded, real.columns, k);
    const error = column(made, real.columns, k).map((value, row) => value - own[row]!);
    signals.push({ name: name === "power" ? name : `${name}${k + 1}`, unit: EFFORTS[name], signed: true, real: own, width: 1, error });
  }
}

interface Motion {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
}

// The twin's torque, current or power of a motion; null where its drives have no numbers for it.
function effort(twin: Twin, name: keyof typeof EFFORTS, motion: Motion): Float64Array | null {
  const { arm } = twin;
  const has = (kernel: string): boolean => kernel in arm.manifest.functions;
  const first = (out: Record<string, Float64Array>): Float64Array => Object.values(out)[0]!;
  const tau = first(arm.run("inverse_dynamics", { ...motion }));
  const state = { qd: motion.qd, tau };
  if (name === "target_tau") return tau;
  if (name === "tau") {
    if (!has("friction")) return tau;
    const lost = first(arm.run("friction", state));
    return tau.map((value, k) => value + lost[k]!);
  }
  if (!has(name)) return null;
  const each = first(arm.run(name, state));
  if (name === "current") return each;
  return Float64Array.from({ length: each.length / twin.dof }, (_, row) => {
    let sum = 0;
    for (let k = 0; k < twin.dof; k += 1) sum += each[row * twin.dof + k]!;
    return sum;
  });
}
