// Figures of an error, twin minus recorded: the same as validation/metrics.py, which a test compares to 1e-9.

export interface Figures {
  readonly signal: string;
  readonly unit: string;
  readonly count: number;
  readonly mae: number;
  readonly rmse: number;
  readonly max: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly bias: number | null;
  readonly r2: number | null;
}

export type FigureName = "mae" | "rmse" | "max" | "p50" | "p95" | "p99" | "bias" | "r2";

export interface Signal {
  readonly name: string;
  readonly unit: string;
  readonly signed: boolean;
  /** Recorded values, `width` in a row. */
  readonly real: Float64Array;
  readonly width: number;
  readonly error: Float64Array;
}

/** Returns the figures of a signal. */
export function figures(signal: Signal): Figures {
  const { error, signed } = signal;
  const size = error.map(Math.abs);
  const sorted = size.slice().sort();
  const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    signal: signal.name, unit: signal.unit, count: error.length,
    mae: mean(size), rmse: Math.sqrt(mean(error.map((e) => e * e))), max: sorted[sorted.length - 1] ?? NaN,
    p50: percentile(sorted, 50), p95: percentile(sorted, 95), p99: percentile(sorted, 99),
    bias: signed ? mean(error) : null, r2: explained(signal),
  };
}

/** Returns a percentile of sorted values, linear between neighbours. */
export function percentile(sorted: Float64Array, percent: number): number {
  const at = ((sorted.length - 1) * percent) / 100;
  const low = Math.floor(at);
  const [a, b] = [sorted[low]!, sorted[Math.min(low + 1, sorted.length - 1)]!];
  return a + (b - a) * (at - low);
}

// Share of the recorded variance that the twin explains; null where nothing varies.
function explained({ real, width, error }: Signal): number | null {
  const rows = real.length / width;
  const means = new Float64Array(width);
  real.forEach((value, k) => (means[k % width]! += value / rows));
  let [total, scale, rest] = [0, 0, 0];
  real.forEach((value, k) => {
    total += (value - means[k % width]!) ** 2;
    scale += value ** 2;
  });
  for (const e of error) rest += e * e;
  return total <= 1e-18 * Math.max(scale, 1e-300) ? null : 1 - rest / total;
}
