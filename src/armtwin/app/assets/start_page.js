// The first-time page: start the virtual robot, push it, see the alarm.
import { stream } from "/assets/stream.js";
import { LiveBuffer } from "/assets/live_buffer.js";
import { LiveChart, windowUpTo } from "/assets/live_chart.js";
import { AlarmList, Alarms, PushPanel, RobotStatus } from "/assets/live_parts.js";
import { ask, client } from "/assets/ask.js";

const WINDOW = 15;
const FRAME_MS = 33;

export default {
  components: { AlarmList, PushPanel, RobotStatus },
  props: { arms: Array, more: Array },
  template: `
    <div class="live start">
      <div>
        <h1 class="page-title">No robot? Start here.</h1>
        <p class="muted start-lead">A virtual robot behaves like a real one, mass and friction included. Its digital
          twin runs beside it and detects contacts.</p>
      </div>
      <robot-status :status="status" :can-unlock="canUnlock"></robot-status>
      <ol class="start-steps">
        <li class="panel" :class="{ done: running }">
          <h2><b>1</b> Start the virtual robot</h2>
          <div v-if="!running" class="start-row">
            <label>Arm <select v-model="arm" aria-label="Arm" data-testid="virtual-arm">
              <option v-for="name in arms" :key="name" :value="name">{{ name }}</option></select></label>
            <button class="main-button" :disabled="busy || !allowed" data-testid="start-virtual" @click="start">
              {{ busy ? 'Starting …' : 'Start' }}</button>
          </div>
          <div v-else class="start-row">
            <span data-testid="running">{{ title }} runs.</span>
            <button class="plain-button" :disabled="busy" data-testid="end-virtual" @click="end">End it</button>
          </div>
          <p v-if="!allowed && !running" class="muted">Not beside {{ title }}: start the app without it.</p>
          <p v-if="busy && !running" class="muted" role="status">The first start on a machine takes longer: the model is compiled.</p>
          <p v-if="trouble" class="trouble" role="alert">{{ trouble }}</p>
        </li>
        <li class="panel" :class="{ waiting: !running }">
          <h2><b>2</b> Push it</h2>
          <p class="muted">Choose a joint and how hard. From about 40 Nm on, it stops to protect itself.</p>
          <push-panel :disabled="!running || status === 'lost'"></push-panel>
        </li>
        <li class="panel" :class="{ waiting: !running }">
          <h2><b>3</b> See the alarm</h2>
          <div ref="plot" class="plot" aria-label="Torque residuals of the joints over time"></div>
          <p class="muted start-note">Torque that the model cannot explain [Nm]. Beyond the dashed lines it is a contact.</p>
          <alarm-list :alarms="alarms" :empty="running ? 'Nothing yet: push it.' : 'The robot does not run yet.'"></alarm-list>
        </li>
      </ol>
      <nav class="start-more" aria-label="What else works without a robot">
        <a href="/live">Watch everything <span>positions, currents, power, record</span></a>
        <a href="/">Move it <span>sliders, jog, 3-D view</span></a>
        <a v-for="[path, label, what] in more" :key="path" :href="path">{{ label }} <span>{{ what }}</span></a>
      </nav>
    </div>`,
  data: () => ({
    arm: "", busy: false, trouble: "", title: "", kind: "", status: "", alarms: [], canUnlock: false,
  }),
  computed: {
    running() {
      return this.kind === "virtual";
    },
    allowed() {
      return this.kind === "simulated";
    },
  },
  created() {
    this.live = { buffer: new LiveBuffer(6), row: new Float32Array(6), alarms: new Alarms(), thresholds: null, drawn: 0 };
  },
  mounted() {
    this.arm = this.arms[0];
    this.live.chart = new LiveChart(this.$refs.plot, {
      series: [0, 1, 2, 3, 4, 5], names: [], height: 190, least: 1, thresholds: () => this.live.thresholds,
    });
    this.ends = [
      stream.on("hello", (hello) => this.greet(hello)),
      stream.on("state", (state) => this.take(state)),
    ];
    const frame = (now) => {
      this.frame = requestAnimationFrame(frame);
      this.draw(now);
    };
    this.frame = requestAnimationFrame(frame);
    this.lights = new MutationObserver(() => this.live.chart.build());
    this.lights.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  },
  unmounted() {
    this.ends.forEach((end) => end());
    cancelAnimationFrame(this.frame);
    this.lights.disconnect();
    this.live.chart.destroy();
  },
  methods: {
    async greet(hello) {
      [this.kind, this.title] = [hello.kind, hello.title];
      const live = await ask("GET", "/api/live").catch(() => null);
      if (!live) return;
      this.canUnlock = live.can_unlock;
      if (this.live.alarms.take(live.alarms)) this.alarms = this.live.alarms.list;
    },
    take(state) {
      this.status = state.status;
      this.live.thresholds = state.threshold;
      if (state.residual) {
        for (let k = 0; k < 6; k++) this.live.row[k] = state.residual[k] ?? NaN;
        this.live.buffer.push(state.t, this.live.row);
      }
      if (this.live.alarms.take(state.alarms)) this.alarms = this.live.alarms.list;
    },
    draw(now) {
      const { buffer, chart } = this.live;
      if (document.hidden || now - this.live.drawn < FRAME_MS || !Number.isFinite(buffer.last)) return;
      this.live.drawn = now;
      chart.draw(buffer, ...windowUpTo(buffer.last, WINDOW), this.live.alarms.list);
    },
    async start() {
      await this.change("/api/live/virtual", { client: client(), arm: this.arm });
    },
    async end() {
      await this.change("/api/live/simulated", { client: client() });
    },
    async change(path, content) {
      this.busy = true;
      this.trouble = "";
      try {
        await ask("POST", path, content);
        location.reload();
      } catch (error) {
        this.trouble = error.message;
        this.busy = false;
      }
    },
  },
};
