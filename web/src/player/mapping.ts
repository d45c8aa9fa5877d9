// A mapping of a file's columns, the same object as a mapping file's: docs/recordings.md describes it.

/** Columns of a recording that exist once per joint, and their SI unit. */
export const JOINT_COLUMNS: Readonly<Record<string, string>> = {
  q: "rad", qd: "rad/s", tau: "Nm", current: "A", target_q: "rad", target_qd: "rad/s", target_tau: "Nm", temperature: "degC",
};
/** Columns that exist once, and their SI unit. */
export const SINGLE_COLUMNS: Readonly<Record<string, string>> = {
  time: "s", x: "m", y: "m", z: "m", qx: "1", qy: "1", qz: "1", qw: "1", rx: "rad", ry: "rad", rz: "rad",
  roll: "rad", pitch: "rad", yaw: "rad", fx: "N", fy: "N", fz: "N", tx: "Nm", ty: "Nm", tz: "Nm", voltage: "V", power: "W", payload: "kg",
};
/** Units to choose from, by the SI unit that they convert to. */
export const UNITS: Readonly<Record<string, readonly string[]>> = {
  s: ["s", "ms", "us", "ns"], rad: ["rad", "deg", "mrad"], "rad/s": ["rad/s", "deg/s", "rpm"], Nm: ["Nm", "mNm"], A: ["A", "mA"],
  m: ["m", "mm"], N: ["N"], V: ["V", "mV"], W: ["W"], kg: ["kg", "g"], degC: ["degC"],
};

/** What a column of the file is: "" for left out. */
export interface Assigned {
  readonly source: string;
  readonly target: string;
  readonly unit: string;
}

/** Returns the SI unit of a recording's column; "" for an unknown one. */
export function siUnit(target: string): string {
  const joint = /^(.+?)[1-9]\d?$/.exec(target)?.[1];
  return SINGLE_COLUMNS[target] ?? (joint ? JOINT_COLUMNS[joint] : undefined) ?? "";
}

/** Returns the columns of a recording to choose from, for an arm of so many joints. */
export function targetsFor(joints: number): string[] {
  const numbers = Array.from({ length: joints }, (_, k) => k + 1);
  return ["time", ...Object.keys(JOINT_COLUMNS).flatMap((name) => numbers.map((n) => `${name}${n}`)), ...Object.keys(SINGLE_COLUMNS).slice(1)];
}

/** Returns the columns with one of them assigned; of a first joint's column the next ones follow where nothing else is said. */
export function assign(columns: readonly Assigned[], at: number, target: string, joints: number): Assigned[] {
  const found = columns.map((column) => (target && column.target === target ? { ...column, target: "" } : column));
  const group = /^(.+?)1$/.exec(target)?.[1];
  const count = group && group in JOINT_COLUMNS ? joints : 1;
  for (let k = 0; k < count && at + k < found.length; k += 1) {
    const next = k === 0 ? target : `${group}${k + 1}`;
    const free = !found[at + k]!.target && !found.some((column) => column.target === next);
    if (k > 0 && !free) break;
    found[at + k] = { ...found[at + k]!, target: next, unit: (UNITS[siUnit(next)] ?? [""])[0]! };
  }
  return found;
}

/** Returns the mapping that a file, the command line and the app take alike. */
export function mappingOf(columns: readonly Assigned[]): { columns: Record<string, { from: string; unit?: string }>; drop: string[]; timed: boolean } {
  const used = columns.filter(({ target }) => target);
  const entries = used.map(({ source, target, unit }) => [target, unit && unit !== "1" ? { from: source, unit } : { from: source }] as const);
  return {
    columns: Object.fromEntries(entries),
    drop: columns.filter(({ target }) => !target).map(({ source }) => source),
    timed: used.some(({ target }) => target === "time"),
  };
}

/** Returns why columns cannot be used yet, or "". */
export function lack(columns: readonly Assigned[], joints: number): string {
  const targets = new Set(columns.map(({ target }) => target));
  const missing = Array.from({ length: joints }, (_, k) => `q${k + 1}`).filter((name) => !targets.has(name));
  return missing.length ? `Still to assign: ${missing.join(", ")}.` : "";
}
