// The data of a page, as viewer/view.py writes it.
import type { Packed } from "../arrays";
import type { Limit } from "../kernels/comparison";
import type { Figures } from "../kernels/figures";
import type { Manifest } from "../kernels/runtime";
import type { Outcome } from "../robot/messages";
import type { ArmDescription } from "../scene/types";

export interface SliderDescription {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  readonly lower: number;
  readonly value: number;
  readonly upper: number;
  readonly parameters: readonly string[];
  /** Identified 95 % interval, and where it comes from; the range is a default without one. */
  readonly interval: readonly [number, number] | null;
  readonly source: string;
}

export interface Contact {
  readonly time: number;
  readonly end: number;
  readonly joint: number;
  readonly torque: number;
  readonly text: string;
}

export interface RecordingContent {
  readonly name: string;
  readonly timed: boolean;
  readonly rows: number;
  readonly kept: number;
  readonly stride: number;
  readonly packed: Packed;
  readonly figures: readonly Figures[];
  readonly all_rows: readonly Figures[];
  readonly limits: readonly Limit[];
  readonly failures: readonly string[];
  readonly verdict: string;
  readonly passed: boolean;
  readonly judged: boolean;
  readonly causes: readonly string[];
  readonly notes: readonly string[];
}

/** Of a result's own view: its page, and what belongs to its motion. */
export interface ResultContent {
  /** What it is: "Detection". */
  readonly kind: string;
  readonly title: string;
  /** What the ghost is; "" for the twin. */
  readonly ghost: string;
  readonly charts: readonly { readonly array: string; readonly title: string; readonly unit: string }[];
  readonly page: Pick<Outcome, "finding" | "passed" | "verdict" | "facts" | "forests" | "sankeys" | "tables" | "notes">;
}

export interface Content {
  readonly version: number;
  readonly generator: string;
  readonly arm: ArmDescription;
  readonly meshes: string | null;
  readonly recording: RecordingContent | null;
  readonly contacts: readonly Contact[];
  readonly result: ResultContent | null;
  readonly home: readonly number[];
  readonly kernels: { readonly module: string; readonly manifest: Manifest };
  readonly sliders: readonly SliderDescription[];
  readonly notes: readonly string[];
}
