/** One chart of live data: lines of a LiveBuffer, thresholds, and marks where alarms were raised. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { short } from "../../app/units.svelte";
import { clockText } from "../../charts/numbers";
import { jointColour } from "../../charts/joint_colours";
import { lineStyle } from "../../charts/line_style";
import { navigation, type Navigated } from "../../charts/navigation";
import type { Range } from "../../charts/types";
import type { Alarm } from "../../robot/messages";
import { BUCKET, type LiveBuffer } from "./buffer";

const MAX_MARKS = 40;
const FONT = "13px system-ui, sans-serif";

export interface ChartOptions {
  /** Which of the buffer's series to draw. */
  series: number[];
  height?: number;
  /** By which values are divided. */
  scale?: number;
  /** Smallest span of y. */
  least?: number;
  /** A height for each line, or null. */
  thresholds?: () => (number | null)[] | null;
  navigated: Omit<Navigated, "arrows">;
}

function token(name: string, otherwise: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || otherwise;
}

export class LiveChart {
  onScreen = true;
  /** What of the samples is drawn, where it is not all of them. */
  thinned = "";
  readonly series: number[];
  readonly data: (number | null)[][];
  private readonly scale: number;
  private readonly least: number;
  private readonly thresholds: () => (number | null)[] | null;
  private height: number;
  private shown: boolean[];
  private alarms: Alarm[] = [];
  private window: Range = { from: 0, to: 10 };
  private marks: HTMLElement[] = [];
  private plot!: uPlot;
  private readonly resizing: ResizeObserver;

  constructor(
    private readonly place: HTMLElement,
    private readonly options: ChartOptions,
  ) {
    const { series, height = 150, scale = 1, least = 0.01, thresholds = () => null } = options;
    [this.series, this.height, this.scale, this.least, this.thresholds] = [series, height, scale, least, thresholds];
    this.shown = series.map(() => true);
    this.data = [[], ...series.map(() => [])];
    this.build();
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(place);
  }

  /** Makes the chart, with the colours of the current theme. */
  build(): void {
    this.plot?.destroy();
    this.marks = [];
    const [text, line] = [token("--ink-soft", "#555"), token("--line", "#ddd")];
    const single = this.series.length === 1;
    const lines = this.series.map((_, k) => ({
      stroke: single ? token("--accent", "#1565c0") : jointColour(k),
      ...lineStyle("measured", single ? -1 : k, true),
      show: this.shown[k] ?? true,
      points: { show: false },
      spanGaps: false,
    }));
    const axis = { stroke: text, font: FONT, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } };
    const { cursor, hooks } = navigation("live", { ...this.options.navigated, arrows: true });
    const options: uPlot.Options = {
      width: this.width(),
      height: this.height,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor,
      scales: { x: { time: false, range: () => [this.window.from, this.window.to] }, y: { range: (_, low, high) => this.range(low, high) } },
      axes: [
        { ...axis, size: 26, gap: 4, space: 70, values: (_, ticks, __, ___, step) => ticks.map((t) => clockText(t, step)) },
        { ...axis, size: 54, gap: 4, space: 28, values: (_, ticks) => ticks.map(short) },
      ],
      series: [{}, ...lines],
      hooks: { ...hooks, draw: [() => this.drawThresholds(), () => this.drawMarks()] },
    };
    this.plot = new uPlot(options, this.data as uPlot.AlignedData, this.place);
  }

  show(k: number, shown: boolean): void {
    this.shown[k] = shown;
    this.plot.setSeries(k + 1, { show: shown });
  }

  /** Draws what `buffer` holds between two times, and the alarms that lie there. */
  draw(buffer: LiveBuffer, range: Range, alarms: Alarm[]): void {
    const whole = buffer.view(range.from, range.to, this.series, this.data);
    this.thinned = whole ? "" : `min/max of ${BUCKET} s`;
    if (this.scale !== 1) {
      for (const column of this.data.slice(1))
        column.forEach((value, row) => (column[row] = value === null ? null : value / this.scale));
    }
    this.window = range;
    this.alarms = alarms;
    this.plot.setData(this.data as uPlot.AlignedData);
  }

  /** The values under the cursor, or the newest ones: a text for each line. */
  values(): string[] {
    const index = this.plot.cursor.idx ?? this.data[0]!.length - 1;
    return this.series.map((_, k) => {
      const value = this.data[k + 1]![index];
      return value === null || value === undefined ? "–" : short(value);
    });
  }

  destroy(): void {
    this.resizing.disconnect();
    this.plot.destroy();
  }

  private width(): number {
    return Math.max(200, Math.floor(this.place.clientWidth));
  }

  private resize(): void {
    if (this.place.clientWidth && this.width() !== this.plot.width)
      this.plot.setSize({ width: this.width(), height: this.height });
  }

  /** The span of y: what is drawn and the thresholds of the lines shown, with some air. */
  private range(low: number | null, high: number | null): [number, number] {
    let [a, b] = low === null || high === null || low === undefined ? [0, 0] : [low, high];
    for (const [, limit] of this.limits()) [a, b] = [Math.min(a, -limit), Math.max(b, limit)];
    const lack = Math.max(0, this.least / this.scale - (b - a));
    const air = 0.06 * (b - a) + lack / 2;
    return [a - air, b + air];
  }

  /** Line and height of every threshold that is drawn. */
  private limits(): [number, number][] {
    const heights = this.thresholds() ?? [];
    return heights.flatMap((height, k) => (this.shown[k] && height !== null ? [[k, height / this.scale]] : []) as [number, number][]);
  }

  private drawThresholds(): void {
    const { ctx, bbox } = this.plot;
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const [k, limit] of this.limits()) {
      ctx.strokeStyle = jointColour(k);
      for (const height of [limit, -limit]) {
        const y = this.plot.valToPos(height, "y", true);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
      }
    }
    ctx.restore();
  }

  private drawMarks(): void {
    const { from, to } = this.window;
    const last = this.data[0]!.at(-1) ?? to;
    const inside = this.alarms.filter((alarm) => (alarm.end ?? last) >= from && alarm.time <= to).slice(-MAX_MARKS).reverse();
    inside.forEach((alarm, used) => {
      const left = this.plot.valToPos(Math.max(alarm.time, from), "x");
      const right = this.plot.valToPos(Math.min(alarm.end ?? last, to), "x");
      const mark = this.marks[used] ?? this.newMark();
      mark.style.transform = `translateX(${left.toFixed(1)}px)`;
      mark.style.width = `${Math.max(2, right - left).toFixed(1)}px`;
      mark.hidden = false;
      if (mark.title !== alarm.text) mark.title = alarm.text;
    });
    for (const mark of this.marks.slice(inside.length)) mark.hidden = true;
  }

  private newMark(): HTMLElement {
    const mark = document.createElement("div");
    mark.className = "alarm-mark";
    mark.dataset["testid"] = "alarm-mark";
    this.plot.over.append(mark);
    this.marks.push(mark);
    return mark;
  }
}
