// What charts are given.

export type LineKind = "measured" | "twin" | "threshold";

export interface Line {
  readonly name: string;
  readonly kind: LineKind;
  /** Joint from 0, which decides the colour; -1 for a line in the page's ink. */
  readonly joint: number;
  readonly values: Float64Array;
}

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  /** Unit shown; values are multiplied by `factor` to get it. */
  readonly unit: string;
  readonly factor: number;
  readonly lines: readonly Line[];
}

export interface Range {
  readonly from: number;
  readonly to: number;
}
