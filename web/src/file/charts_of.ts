// The charts of a recording: recorded signals with the twin's, by joint.
import type { ChartSpec, Line } from "../charts/types";
import type { Comparison, Table, Tables } from "../kernels/comparison";
import type { ResultContent } from "./content";

const DEGREES = 180 / Math.PI;

interface Kind {
  readonly id: string;
  readonly title: string;
  readonly array: string;
  readonly unit: string;
  readonly factor: number;
  /** Name of the twin's values. */
  readonly twin: string;
  /** Whether the values are computed, so that their lines are not called recorded. */
  readonly plain?: boolean;
}

const KINDS: readonly Kind[] = [
  { id: "tau", title: "Torque", array: "real.tau", unit: "Nm", factor: 1, twin: "tau" },
  { id: "target_tau", title: "Target torque", array: "real.target_tau", unit: "Nm", factor: 1, twin: "target_tau" },
  { id: "current", title: "Motor current", array: "real.current", unit: "A", factor: 1, twin: "current" },
  { id: "power", title: "Power", array: "real.power", unit: "W", factor: 1, twin: "power" },
  { id: "q", title: "Joint position", array: "q", unit: "deg", factor: DEGREES, twin: "" },
  { id: "qd", title: "Joint speed", array: "motion.qd", unit: "deg/s", factor: DEGREES, twin: "" },
];

/** Returns one column of an array. */
export function column(table: { values: Float64Array; columns: number }, k: number): Float64Array {
  const { values, columns } = table;
  return Float64Array.from({ length: values.length / columns }, (_, row) => values[row * columns + k]!);
}

/** Returns the charts of what was recorded, with the twin where it was computed; before them those of a result. */
export function chartsOf(tables: Tables, result: Comparison | null, more: ResultContent["charts"] = []): ChartSpec[] {
  const error = result && errorChart(result.distance);
  const own = more.map(({ array, title, unit }) => ({ id: array, title, array, unit, factor: 1, twin: "", plain: true }));
  const rest = [...own, ...KINDS].flatMap((kind: Kind) => {
    const table = tables[kind.array];
    return table ? [chart(kind, table, result?.twin[kind.twin])] : [];
  });
  return [...(error ? [error] : []), ...rest];
}

function chart(kind: Kind, table: Table, twin: Float64Array | undefined): ChartSpec {
  const lines: Line[] = [];
  for (let k = 0; k < table.columns; k += 1) {
    const joint = table.columns === 1 ? -1 : k;
    const name = joint < 0 ? kind.title : `joint ${k + 1}`;
    lines.push({ name: kind.plain ? name : `${name}, recorded`, kind: "measured", joint, values: column(table, k) });
    if (twin) lines.push({ name: `${name}, twin`, kind: "twin", joint, values: column({ values: twin, columns: table.columns }, k) });
  }
  return { id: kind.id, title: kind.title, unit: kind.unit, factor: kind.factor, lines };
}

/** Returns the chart of the distance between the twin's tool and the recorded one [m]; null without any. */
export function errorChart(distance: Float64Array): ChartSpec | null {
  if (!distance.some(Number.isFinite)) return null;
  const top = distance.reduce((most, value) => (value > most ? value : most), 0);
  const [factor, unit] = top < 1e-6 ? [1e9, "nm"] : top < 1e-3 ? [1e6, "\u00b5m"] : [1e3, "mm"];
  return { id: "error", title: "Tool position error", unit, factor, lines: [{ name: "twin to recorded", kind: "measured", joint: -1, values: distance }] };
}

/** Returns an overview of a line: the largest value of each of `count` spans, from 0 to 1. */
export function overview(time: Float64Array, values: Float64Array, count: number): number[] {
  const [start, end] = [time[0] ?? 0, time[time.length - 1] ?? 1];
  const bins = Array.from({ length: count }, () => 0);
  values.forEach((value, k) => {
    if (!Number.isFinite(value)) return;
    const bin = Math.min(Math.floor(((time[k]! - start) / Math.max(end - start, 1e-12)) * count), count - 1);
    bins[bin] = Math.max(bins[bin]!, Math.abs(value));
  });
  const top = Math.max(...bins, 1e-300);
  return bins.map((value) => value / top);
}
