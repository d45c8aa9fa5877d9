// Where a recording is being played: pause it, go elsewhere.
import { ask } from "/assets/ask.js";
import { clockText } from "/assets/live_chart.js";

const LOOK_MS = 250;

export const ReplayBar = {
  template: `
    <div v-if="replay" class="panel replay">
      <button class="plain-button" data-testid="replay-pause" @click="request({ paused: !replay.paused })">
        {{ replay.paused ? 'Play' : 'Pause' }}</button>
      <input type="range" min="0" :max="replay.duration" step="0.01" :value="held ?? replay.position"
             aria-label="Place in the recording" data-testid="seek" @input="held = +$event.target.value" @change="seek">
      <span class="replay-time">{{ clock(held ?? replay.position) }} / {{ clock(replay.duration) }}</span>
    </div>`,
  data: () => ({ replay: null, held: null }),
  mounted() {
    this.look();
    this.timer = setInterval(() => this.look(), LOOK_MS);
  },
  unmounted() {
    clearInterval(this.timer);
  },
  methods: {
    clock: clockText,
    async look() {
      if (document.hidden) return;
      const live = await ask("GET", "/api/live").catch(() => null);
      if (live) this.replay = live.replay;
    },
    async request(content) {
      this.replay = await ask("POST", "/api/live/replay", content).catch(() => this.replay);
    },
    async seek(event) {
      await this.request({ position: Math.min(+event.target.value, this.replay.duration) });
      this.held = null;
    },
  },
};
