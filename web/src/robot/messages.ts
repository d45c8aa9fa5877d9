/** Messages of the app's stream and answers of its API, as docs/api.md describes them. SI units. */

export interface Joint {
  name: string;
  kind: "revolute" | "prismatic";
  lower: number | null;
  upper: number | null;
  speed: number | null;
}

export interface Bar {
  start: number[];
  end: number[];
  radius: number;
}

export interface Geometry {
  base: Bar[];
  links: { bars: Bar[]; axis: Bar | null }[];
  tool: number[];
  frame: number[];
  reach: number;
  version: string;
}

export interface Arm {
  name: string;
  title: string;
  dof: number;
  joints: Joint[];
  geometry: Geometry;
}

export type Kind = "simulated" | "virtual" | "real" | "servo" | "recording";

export interface Hello {
  type: "hello";
  you: string;
  title: string;
  kind: Kind;
  real: boolean;
  can_move: boolean;
  arm: Arm;
}

export interface Pose {
  position: number[];
  rpy: number[];
  quaternion: number[];
}

export interface Warning {
  kind: string;
  joint: number | null;
  text: string;
}

export interface Alarm {
  time: number;
  end: number | null;
  joint: number;
  torque: number;
  text: string;
}

export interface RobotState {
  type: "state";
  t: number;
  arm: string;
  kind: Kind;
  q: number[];
  qd: number[];
  target: number[];
  moving: boolean;
  status: string;
  pose: Pose;
  links: number[][];
  target_links?: number[][];
  warnings: Warning[];
  tau: (number | null)[] | null;
  current: (number | null)[] | null;
  residual: (number | null)[] | null;
  threshold: (number | null)[] | null;
  power: number | null;
  energy: number | null;
  lease: { holder: string | null; waiting: string[] };
  program: ProgramRun | null;
  alarms: Alarm[];
}

/** A program that runs or is paused. */
export interface ProgramRun {
  mode: "running" | "paused";
  /** The position that it moves to or is at, from 0. */
  index: number | null;
  round: number;
  arrived: boolean;
  /** The plan of `Timing` that holds. */
  plan: number;
  /** Time spent on the move to the position and the rest there [s]. */
  seconds: number;
}

/** When a run sets out to every position, arrives and leaves [s]; null where the robot's planner is not known. */
export interface Timing {
  plan: number;
  positions: { name: string; start: number | null; arrival: number | null; end: number | null }[];
}

export interface Preview {
  type: "preview";
  q: number[];
  pose: Pose;
  links: number[][];
  warnings: Warning[];
}

export interface ErrorMessage {
  type: "error";
  error: string;
}

export interface Stopped {
  type: "stopped";
}

export type Incoming = Hello | RobotState | Preview | ErrorMessage | Stopped;

export type Outgoing =
  | { type: "heartbeat" | "take" | "request" | "release" | "end_motion" | "stop" }
  | { type: "move" | "follow"; q: number[]; speed: number; press?: number | null }
  | { type: "preview"; q: number[] }
  | { type: "jog"; axis: number; sign: number; frame: string; speed: number; press?: number | null };

export interface Replay {
  position: number;
  duration: number;
  paused: boolean;
}

export interface Live {
  title: string;
  kind: Kind;
  can_push: boolean;
  /** A push of each joint that is surely detected [Nm | N]. */
  push_torques: number[];
  /** External torque that is a contact, as a share of a joint's largest; null where it is learned from a recording. */
  contact_share: number | null;
  /** Recording that contact thresholds were learned from, or "". */
  learned_from: string;
  learned_notes: string[];
  can_unlock: boolean;
  alarms: Alarm[];
  recording_seconds: number | null;
  recording_trouble: string;
  recording_owner: string;
  recording_yours: boolean;
  files: { name: string; rows: number; owner: string; yours: boolean; learnable: boolean }[];
  replay: Replay | null;
}

export interface Position {
  name: string;
  q: number[];
  speed: number;
  dwell: number;
  /** How it is reached: straight in joint space, or on a straight line of the tool. */
  motion: "joint" | "linear";
}

export interface Program {
  name: string;
  arm: string;
  positions: Position[];
}

export interface Progress {
  mode: "idle" | "running" | "paused";
  index: number | null;
  round: number;
  loop: boolean;
  text: string;
  error: string;
  arrived: boolean;
}

export interface Teach {
  revision: number;
  program: Program;
  progress: Progress;
}

/** Places of the tool in base [m]. */
export interface PlannedPath {
  points: number[][];
}

export interface SavedProgram {
  file: string;
  name: string;
  arm: string;
  positions: number;
  owner: string;
  yours: boolean;
}

export type Cell = string | number | null;

export interface OutcomeTable {
  title: string;
  heads: string[];
  rows: Cell[][];
}

export interface OutcomeLine {
  name: string;
  x: number[];
  y: (number | null)[];
  dashed: boolean;
  /** Lines of one number have one colour. */
  colour: number | null;
}

export interface OutcomeBars {
  title: string;
  y_label: string;
  labels: string[];
  series: [name: string, values: (number | null)[]][];
}

export interface OutcomeChart {
  title: string;
  x_label: string;
  y_label: string;
  lines: OutcomeLine[];
}

export interface OutcomeForest {
  title: string;
  caption: string;
  /** What the reference values are. */
  reference: string;
  panels: {
    label: string;
    low: number;
    high: number;
    rows: { name: string; value: number; low: number | null; high: number | null; reference: number | null; is_weak: boolean; text: string }[];
  }[];
}

/** A band from its upper corner (x0, y0) to (x1, y1), in shares of the drawing; y down. */
export interface SankeyBand {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  width: number;
  number: number;
}

export interface OutcomeSankey {
  title: string;
  caption: string;
  columns: number;
  nodes: { name: string; amount: string; x: number; top: number; bottom: number; number: number }[];
  bands: SankeyBand[];
}

export interface Outcome {
  /** The answer to the job's question in one sentence. */
  finding: string;
  /** An arm of the catalogue that fits better, or "". */
  proposed_arm: string;
  passed: boolean | null;
  verdict: string;
  facts: { name: string; value: string }[];
  charts: OutcomeChart[];
  bars: OutcomeBars[];
  forests: OutcomeForest[];
  sankeys: OutcomeSankey[];
  tables: OutcomeTable[];
  notes: string[];
  files: { name: string; label: string }[];
}

/** What a job was started with; recordings are ids of uploads. */
export interface JobParameters {
  arm: string;
  recording?: string;
  mapping?: string | object | null;
  angles?: string | null;
  run?: number | null;
}

export interface Job {
  id: string;
  kind: string;
  parameters: JobParameters;
  /** Who started it; "" for nobody. */
  owner: string;
  /** Whether this browser may cancel it. */
  yours: boolean;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  step: string;
  seconds: number;
  error: string;
  outcome: Outcome | null;
}

export interface Upload {
  id: string;
  name: string;
  size: number;
}

export interface Ik {
  solutions: number[][];
  names: string[];
  singular: boolean[];
  notes: string[];
  /** Link frames of every solution, where they were requested. */
  links: number[][][];
}
