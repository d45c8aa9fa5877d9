/** An input or output: `size` numbers a row, in the order of `shape`, row by row. */
export interface Port {
  name: string;
  shape: number[];
  size: number;
  unit: string;
  meaning: string;
  /** Inputs: one row per state, or one for the whole call. */
  per_row?: boolean;
  /** Inputs for the whole call: the arm's own numbers, used where none are given. */
  value?: number[];
}

export interface ArmFunction {
  summary: string;
  export: string;
  inputs: Port[];
  outputs: Port[];
  /** The exported function that computes the input `c` from the parameters. */
  constants: string | null;
  /** Names of the parameters that change the result. */
  parameters: string[];
}

export interface Parameter {
  name: string;
  unit: string;
  value: number;
  meaning: string;
  group: "geometry" | "offsets" | "base" | "tool" | "gravity" | "masses" | "drives" | "payload";
}

export interface Manifest {
  format: "armtwin-wasm";
  version: 1;
  arm: { name: string; title: string; dof: number };
  joints: { name: string; kind: string; lower: number | null; upper: number | null }[];
  memory: string;
  heap: string;
  parameters: Parameter[];
  functions: Record<string, ArmFunction>;
  left_out: Record<string, string>;
  inverse?: {
    structure: string;
    redundancy: string;
    exact_margin: number;
    border_margin: number;
    singular: number;
  };
}

/** A solution of inverse kinematics [rad], and its squared distance to the seed. */
export interface Branch {
  q: Float64Array;
  branch: number;
  singular: boolean;
  distance: number;
}

export type Numbers = ArrayLike<number>;

/** A function with memory of its own; inputs are 0 until they are set. Take the arrays anew for each call: memory may have grown. */
export interface BoundFunction {
  readonly inputs: Record<string, Float64Array>;
  readonly outputs: Record<string, Float64Array>;
  run(): void;
}

export declare function loadArm(
  code: BufferSource | Response | WebAssembly.Module | Promise<Response>,
  manifest: Manifest,
): Promise<Arm>;

export declare class Arm {
  constructor(instance: WebAssembly.Instance, manifest: Manifest);
  readonly manifest: Manifest;
  /** The numbers of the arm that functions use, in the manifest's order. Change them with `set`. */
  readonly parameters: Float64Array;
  readonly places: ReadonlyMap<string, number>;
  /** Sets numbers of the arm by name, such as `{payload_mass: 2}`. */
  set(values: Record<string, number>): void;
  /** Sets every number back to the arm's own. */
  reset(): void;
  /** Runs a function on one state or on rows of states; returns the outputs by name. */
  run(name: string, inputs: Record<string, Numbers>): Record<string, Float64Array>;
  /** Returns a function with memory of its own for a number of rows, for loops without copies. */
  bind(name: string, rows?: number): BoundFunction;
  /** Branches of a pose (16 numbers, row by row) within reach and limits, the nearest first. */
  inverse(T: Numbers, seed: Numbers, more?: { redundancy?: Numbers }): Branch[];
}
