// One chart of live data: lines of a LiveBuffer, thresholds, and marks where alarms were raised.
import uPlot from "/assets/uPlot.esm.js";

const LIGHT = ["#1565c0", "#00796b", "#8e5a00", "#6a1b9a", "#455a64", "#ad1457", "#33691e"];
const DARK = ["#64b5f6", "#4db6ac", "#ffb74d", "#ba8de0", "#b0bec5", "#f48fb1", "#aed581"];
const MOST_MARKS = 40;
const FONT = "14px system-ui, sans-serif";

export const isDark = () => document.body.classList.contains("body--dark");
export const colors = () => (isDark() ? DARK : LIGHT);
// The window of some seconds that ends now; at the beginning it fills from the left.
export const windowUpTo = (now, seconds) => {
  const from = Math.max(0, now - seconds);
  return [from, from + seconds];
};

export const clockText = (t) => {
  const whole = Math.max(0, Math.round(t));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

function ink() {
  const style = getComputedStyle(document.body);
  const of = (name) => style.getPropertyValue(name).trim();
  return { text: of("--muted") || "#555", line: of("--line") || "#ddd", danger: isDark() ? "#ff8a80" : "#c62828" };
}

export class LiveChart {
  // `series`: which of the buffer's to draw; `names`: what to call them; `scale`: by which values
  // are divided; `thresholds()`: a height for each line, or null; `least`: smallest span of y.
  constructor(place, { series, names, height = 170, scale = 1, thresholds = () => null, least = 0.01 }) {
    Object.assign(this, { place, series, names, height, thresholds, least });
    this.scale = scale;
    this.shown = series.map(() => true);
    this.data = [[], ...series.map(() => [])];
    this.alarms = [];
    this.window = [0, 10];
    this.build();
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(place);
  }

  build() {
    this.plot?.destroy();
    this.marks = [];
    this.ink = ink();
    const palette = colors();
    const lines = this.series.map((_, k) => ({
      stroke: palette[k % palette.length],
      width: 1.5,
      show: this.shown[k],
      points: { show: false },
      spanGaps: false,
    }));
    const axis = { stroke: this.ink.text, font: FONT, grid: { stroke: this.ink.line, width: 1 }, ticks: { stroke: this.ink.line, width: 1, size: 4 } };
    this.plot = new uPlot(
      {
        width: this.width(),
        height: this.height,
        padding: [10, 22, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, sync: { key: "live" }, points: { show: false } },
        scales: { x: { time: false, range: () => this.window }, y: { range: (_, low, high) => this.range(low, high) } },
        axes: [
          { ...axis, size: 28, gap: 4, space: 70, values: (_, ticks) => ticks.map(clockText) },
          { ...axis, size: 58, gap: 4, space: 30, values: (_, ticks) => ticks.map(short) },
        ],
        series: [{}, ...lines],
        hooks: { draw: [() => this.drawThresholds(), () => this.drawMarks()], setCursor: [() => this.onCursor?.(this)] },
      },
      this.data,
      this.place,
    );
  }

  width() {
    return Math.max(240, Math.floor(this.place.clientWidth));
  }

  resize() {
    if (this.place.clientWidth && this.width() !== this.plot.width) {
      this.plot.setSize({ width: this.width(), height: this.height });
    }
  }

  // The span of y: what is drawn and the thresholds of the lines shown, with some air.
  range(low, high) {
    let [a, b] = low === null || low === undefined ? [0, 0] : [low, high];
    const limits = this.limits();
    for (const limit of limits) [a, b] = [Math.min(a, -limit), Math.max(b, limit)];
    const lack = Math.max(0, this.least / this.scale - (b - a));
    const air = 0.06 * (b - a) + lack / 2;
    return [a - air, b + air];
  }

  limits() {
    const heights = this.thresholds();
    if (!heights) return [];
    return [...new Set(heights.filter((height, k) => this.shown[k] && height !== null))].map((h) => h / this.scale);
  }

  drawThresholds() {
    const { ctx, bbox } = this.plot;
    ctx.save();
    ctx.strokeStyle = this.ink.danger;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 5 * devicePixelRatio]);
    for (const limit of this.limits()) {
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

  show(k, shown) {
    this.shown[k] = shown;
    this.plot.setSeries(k + 1, { show: shown });
  }

  // Draws what `buffer` holds between two times, and the alarms among `alarms` that lie there.
  draw(buffer, from, to, alarms) {
    buffer.view(from, to, this.series, this.data);
    if (this.scale !== 1) this.rescale();
    this.window = [from, to];
    this.alarms = alarms;
    this.plot.setData(this.data);
  }

  rescale() {
    for (let k = 1; k < this.data.length; k++) {
      const column = this.data[k];
      for (let row = 0; row < column.length; row++) if (column[row] !== null) column[row] /= this.scale;
    }
  }

  drawMarks() {
    const [from, to] = this.window;
    const alarms = this.alarms;
    let used = 0;
    for (let k = alarms.length - 1; k >= 0 && used < MOST_MARKS; k--) {
      const alarm = alarms[k];
      const end = alarm.end ?? this.data[0].at(-1) ?? to;
      if (end < from || alarm.time > to) continue;
      const left = this.plot.valToPos(Math.max(alarm.time, from), "x");
      const right = this.plot.valToPos(Math.min(end, to), "x");
      const mark = this.marks[used] || this.newMark();
      mark.style.transform = `translateX(${left.toFixed(1)}px)`;
      mark.style.width = `${Math.max(2, right - left).toFixed(1)}px`;
      mark.hidden = false;
      if (mark.title !== alarm.text) mark.title = alarm.text;
      used++;
    }
    for (let k = used; k < this.marks.length; k++) this.marks[k].hidden = true;
  }

  newMark() {
    const mark = document.createElement("div");
    mark.className = "alarm-mark";
    mark.dataset.testid = "alarm-mark";
    this.plot.over.append(mark);
    this.marks.push(mark);
    return mark;
  }

  // The values under the cursor, or the newest ones: a text for each line.
  values() {
    const index = this.plot.cursor.idx ?? this.data[0].length - 1;
    return this.series.map((_, k) => {
      const value = this.data[k + 1][index];
      return value === null || value === undefined ? "–" : short(value);
    });
  }

  destroy() {
    this.resizing.disconnect();
    this.plot.destroy();
  }
}

function short(value) {
  const size = Math.abs(value);
  if (size >= 1e5) return `${+(value / 1000).toPrecision(3)}k`;
  const text = value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
  const plain = text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  return Number(plain) === 0 ? "0" : plain;
}
