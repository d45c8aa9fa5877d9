// One uPlot chart of a recording in the page's colours.
import uPlot from "uplot";
import { decimate } from "./decimate";
import { jointVariable } from "./joint_colours";
import { lineStyle } from "./line_style";
import { navigation } from "./navigation";
import { isAll } from "./range";
import type { ChartSpec, Line, Range } from "./types";

const SYNC = "armtwin-charts";

export interface PlotEvents {
  readonly onrange: (range: Range | null) => void;
  readonly onhover: (time: number | null) => void;
  /** Called with the samples that each drawn pair stands for. */
  readonly ondecimate: (factor: number) => void;
}

export class Plot {
  private readonly chart: uPlot;
  private front: string | null = null;
  private range: Range | null = null;

  constructor(
    private readonly place: HTMLElement,
    private spec: ChartSpec,
    private readonly limits: () => Range,
    private readonly events: PlotEvents,
    height: number,
  ) {
    const width = Math.max(place.clientWidth, 50);
    this.chart = new uPlot(this.options(width, height), [[], ...spec.lines.map(() => [])], place);
  }

  private options(width: number, height: number): uPlot.Options {
    const style = getComputedStyle(this.place);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const font = `11px ${colour("--font") || "sans-serif"}`;
    const axis: uPlot.Axis = { stroke: colour("--ink-soft"), font, grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1, size: 4 } };
    return {
      width, height, legend: { show: false }, padding: [6, 8, 0, 0],
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 24, gap: 2 }, { ...axis, size: 52, gap: 3 }],
      series: [{}, ...this.spec.lines.map((line) => this.series(line, colour))],
      ...navigation(SYNC, {
        view: () => this.range ?? this.limits(), limits: this.limits,
        onrange: (range) => this.events.onrange(range && !isAll(range, this.limits()) ? range : null), onhover: this.events.onhover,
      }),
    };
  }

  private series(line: Line, colour: (name: string) => string): uPlot.Series {
    const own = line.joint < 0 ? colour("--ink") : colour(jointVariable(line.joint));
    return {
      label: line.name, stroke: () => (this.front && this.front !== line.name ? `${own}38` : own),
      ...lineStyle(line.kind, line.joint, this.spec.lines.every(({ kind }) => kind === "measured")), points: { show: false }, spanGaps: false,
    };
  }

  /** Draws the samples of a range; all of them without one. A spec replaces the first one's values. */
  show(range: Range | null, spec: ChartSpec, time: Float64Array): void {
    [this.spec, this.range] = [spec, range];
    const from = range ? Math.max(lowerBound(time, range.from) - 1, 0) : 0;
    const to = range ? Math.min(lowerBound(time, range.to), time.length - 1) : time.length - 1;
    const lines = this.spec.lines.map((line) => line.values);
    const thin = decimate(time, lines, from, to, Math.max(Math.floor(this.chart.width * devicePixelRatio), 100));
    const scaled = thin.lines.map((line) => drawable(line, this.spec.factor));
    this.chart.setData([thin.time, ...scaled] as unknown as uPlot.AlignedData, true);
    const ends = range ?? this.limits();
    this.chart.setScale("x", { min: ends.from, max: ends.to });
    this.events.ondecimate(thin.factor);
  }

  /** Returns where a time lies, in CSS pixels from the left of the chart; null outside. */
  placeOf(time: number): number | null {
    const { min, max } = this.chart.scales["x"] ?? {};
    if (min === undefined || max === undefined || min === null || max === null || time < min || time > max) return null;
    return this.chart.valToPos(time, "x") + this.chart.bbox.left / devicePixelRatio;
  }

  /** Brings a line to the front; null for none. */
  highlight(name: string | null): void {
    this.front = name;
    this.chart.redraw(false);
  }

  resize(width: number, height: number): void {
    this.chart.setSize({ width, height });
  }

  dispose(): void {
    this.chart.destroy();
  }
}

// Values in the chart's unit; uPlot leaves a gap at null.
function drawable(line: Float64Array, factor: number): ArrayLike<number | null> {
  const scaled = line.map((value) => value * factor);
  return scaled.every(Number.isFinite) ? scaled : Array.from(scaled, (value) => (Number.isFinite(value) ? value : null));
}

/** Returns the number of the first sample at or after a time. */
export function lowerBound(time: Float64Array, at: number): number {
  let [low, high] = [0, time.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
