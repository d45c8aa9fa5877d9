// The Live page: charts of the robot's state over seconds or minutes, and alarms.
import { stream } from "/assets/stream.js";
import { charts, keptCharts } from "/assets/live_choice.js";
import { LiveBuffer } from "/assets/live_buffer.js";
import { LiveChart, colors, windowUpTo } from "/assets/live_chart.js";
import { AlarmList, Alarms, PushPanel, RobotStatus } from "/assets/live_parts.js";
import { ask } from "/assets/ask.js";
import { RecordButton } from "/assets/record_button.js";
import { ReplayBar } from "/assets/replay_bar.js";

const WINDOWS = [10, 30, 60, 300, 900, 1800];
const JOINTWISE = ["q", "qd", "tau", "current", "residual"];
const SINGLE = ["power", "energy"];
const FAST_MS = 33;
const SLOW_MS = 200; // over minutes a chart moves less than a pixel in this time
const TEXT_MS = 200;

export default {
  components: { AlarmList, PushPanel, RobotStatus, RecordButton, ReplayBar },
  template: `
    <div class="live">
      <robot-status :status="status" :can-unlock="can.unlock"></robot-status>
      <div class="panel live-tools">
        <label class="tool"><span>Window</span>
          <select v-model.number="seconds" aria-label="Length of the window" data-testid="window">
            <option v-for="s in windows" :key="s" :value="s">{{ s < 60 ? s + ' s' : s / 60 + ' min' }}</option>
          </select>
        </label>
        <button class="plain-button" :aria-pressed="paused" data-testid="pause" @click="paused = !paused">
          {{ paused ? 'Resume' : 'Pause' }}</button>
        <record-button></record-button>
        <span class="grow"></span>
        <div class="joint-chips" role="group" aria-label="Joints that are drawn">
          <button v-for="k in dof" :key="k" :aria-pressed="shown[k - 1]" :class="{ off: !shown[k - 1] }"
                  :aria-label="'Joint ' + k" @click="toggle(k - 1)">
            <i :style="{ background: palette[(k - 1) % palette.length] }"></i>{{ k }}</button>
        </div>
      </div>
      <div class="chart-chips" role="group" aria-label="Charts">
        <template v-for="chart in charts" :key="chart.key">
          <button v-if="present[chart.key]" :aria-pressed="wanted.includes(chart.key)"
                  :data-testid="'show-' + chart.key" @click="want(chart.key)">{{ chart.title }}</button>
        </template>
      </div>
      <replay-bar v-if="kind === 'recording'"></replay-bar>
      <div class="live-body">
        <div class="live-charts">
          <section v-for="chart in charts" v-show="present[chart.key] && wanted.includes(chart.key)" :key="chart.key" class="panel chart"
                   :aria-label="chart.title + ' over time'" :data-testid="'chart-' + chart.key">
            <header><h2>{{ chart.title }} <span class="muted">{{ chart.unit }}</span></h2>
              <b v-if="chart.single" class="chart-value">{{ texts[chart.key]?.[0] }}</b></header>
            <div v-if="!chart.single" class="chart-values">
              <span v-for="(text, k) in texts[chart.key]" :key="k" :style="{ color: palette[k % palette.length] }">{{ shown[k] ? text : '' }}</span>
            </div>
            <div :ref="'plot-' + chart.key" class="plot"></div>
          </section>
          <p v-if="!any" class="panel muted">Waiting for the first values.</p>
        </div>
        <aside class="live-side">
          <section class="panel"><h2>Alarms</h2><alarm-list :alarms="alarms"></alarm-list></section>
          <section v-if="can.push" class="panel"><h2>Push it</h2>
            <p class="muted">Somebody pushes a joint of the virtual robot for 0.4 s.</p>
            <push-panel :joints="dof" :disabled="status === 'lost'"></push-panel></section>
          <section v-if="missing.length" class="panel muted" data-testid="missing">
            Not known of this arm: {{ missing.join(', ') }}.
            <a v-if="kind === 'simulated'" href="/start">Start a virtual robot</a></section>
        </aside>
      </div>
    </div>`,
  data: () => ({
    windows: WINDOWS, seconds: 30, paused: false, dof: 6, kind: "", status: "", palette: colors(),
    charts: charts(), present: {}, texts: {}, shown: Array(12).fill(true), alarms: [], any: false,
    can: { push: false, unlock: false }, wanted: keptCharts(),
  }),
  computed: {
    missing() {
      return this.charts.filter((chart) => this.any && !this.present[chart.key]).map((chart) => chart.title.toLowerCase());
    },
  },
  created() {
    // Not reactive: these change fifty times a second.
    this.live = { buffer: null, row: null, plots: {}, alarms: new Alarms(), thresholds: null, drawn: 0, told: 0, dirty: true };
  },
  mounted() {
    this.ends = [
      stream.on("hello", (hello) => this.greet(hello)),
      stream.on("state", (state) => this.take(state)),
    ];
    const frame = (now) => {
      this.frame = requestAnimationFrame(frame);
      this.draw(now);
    };
    this.frame = requestAnimationFrame(frame);
    this.lights = new MutationObserver(() => this.recolor());
    this.lights.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  },
  unmounted() {
    this.ends.forEach((end) => end());
    cancelAnimationFrame(this.frame);
    this.lights.disconnect();
    Object.values(this.live.plots).forEach((plot) => plot.destroy());
  },
  watch: {
    seconds() {
      this.live.dirty = this.live.force = true;
    },
  },
  methods: {
    async greet(hello) {
      this.dof = hello.arm.dof;
      this.kind = hello.kind;
      const buffer = new LiveBuffer(JOINTWISE.length * this.dof + SINGLE.length);
      this.live.row = new Float32Array(buffer.series);
      this.live.buffer = null;
      const turn = (this.live.turn = {});
      this.ask();
      const past = await ask("GET", "/api/live/history").catch(() => []);
      if (turn !== this.live.turn) return; // another arm was shown meanwhile
      for (const state of past) buffer.push(state.t, this.row(state));
      this.live.buffer = buffer;
    },
    // The values of a state in the order of the buffer's series.
    row(state) {
      const row = this.live.row;
      JOINTWISE.forEach((key, group) => {
        for (let k = 0; k < this.dof; k++) row[group * this.dof + k] = state[key]?.[k] ?? NaN;
      });
      SINGLE.forEach((key, k) => (row[JOINTWISE.length * this.dof + k] = state[key] ?? NaN));
      return row;
    },
    async ask() {
      const live = await ask("GET", "/api/live").catch(() => null);
      if (!live) return;
      this.can = { push: live.can_push, unlock: live.can_unlock };
      if (this.live.alarms.take(live.alarms)) this.alarms = this.live.alarms.list;
    },
    take(state) {
      const live = this.live;
      if (!live.buffer) return;
      if (state.t < live.buffer.last - 1) this.forget();
      this.status = state.status;
      live.thresholds = state.threshold;
      if (live.buffer.push(state.t, this.row(state))) live.dirty = true;
      if (live.alarms.take(state.alarms)) this.alarms = live.alarms.list;
    },
    forget() {
      this.live.buffer.clear();
      this.live.alarms.clear();
      this.alarms = [];
    },
    places(key) {
      const group = JOINTWISE.indexOf(key);
      if (group < 0) return [JOINTWISE.length * this.dof + SINGLE.indexOf(key)];
      return Array.from({ length: this.dof }, (_, k) => group * this.dof + k);
    },
    draw(now) {
      const live = this.live;
      const pace = this.seconds > 60 ? SLOW_MS : FAST_MS;
      if (!live.buffer?.fine.count || !live.dirty || document.hidden || now - live.drawn < pace) return;
      if (this.paused && live.drawn && !live.force) return;
      live.dirty = false;
      live.force = false;
      live.drawn = now;
      this.discover();
      if (!this.paused) live.to = live.buffer.last;
      for (const plot of Object.values(live.plots)) {
        if (plot.onScreen) plot.draw(live.buffer, ...windowUpTo(live.to, this.seconds), live.alarms.list);
      }
      if (now - live.told > TEXT_MS) this.tell(now);
    },
    // Makes a chart for every group of values that has been seen.
    discover() {
      for (const chart of this.charts) {
        if (this.present[chart.key]) continue;
        const series = this.places(chart.key);
        if (!series.some((place) => this.live.buffer.seen[place])) continue;
        this.present[chart.key] = true;
        this.any = true;
        this.$nextTick(() => this.plot(chart, series));
      }
    },
    plot(chart, series) {
      const place = [this.$refs[`plot-${chart.key}`]].flat()[0];
      const thresholds = chart.key === "residual" ? () => this.live.thresholds : undefined;
      const plot = new LiveChart(place, { series, names: series.map((_, k) => `${k + 1}`), thresholds, ...chart });
      plot.onScreen = true;
      plot.onCursor = () => this.paused && this.tell(performance.now());
      new IntersectionObserver(([entry]) => (plot.onScreen = entry.isIntersecting)).observe(place);
      if (series.length > 1) this.shown.forEach((on, k) => k < series.length && !on && plot.show(k, false));
      this.live.plots[chart.key] = plot;
      this.live.dirty = this.live.force = true;
    },
    tell(now) {
      this.live.told = now;
      for (const [key, plot] of Object.entries(this.live.plots)) if (plot.onScreen) this.texts[key] = plot.values();
    },
    want(key) {
      const without = this.wanted.filter((other) => other !== key);
      this.wanted = without.length < this.wanted.length && without.length ? without : [...without, key];
      localStorage.armtwin_charts = this.wanted.join();
      this.live.dirty = this.live.force = true;
    },
    toggle(k) {
      this.shown[k] = !this.shown[k];
      for (const plot of Object.values(this.live.plots)) if (plot.series.length > 1) plot.show(k, this.shown[k]);
    },
    recolor() {
      this.palette = colors();
      for (const plot of Object.values(this.live.plots)) plot.build();
      this.live.dirty = this.live.force = true;
    },
  },
};
