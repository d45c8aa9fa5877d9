// Record, stop, and take the recordings away.
import { ask } from "/assets/ask.js";
import { clockText } from "/assets/live_chart.js";

const LOOK_MS = 1000;
const SELDOM = 4; // somebody else may have started a recording

export const RecordButton = {
  template: `
    <span class="record">
      <button class="plain-button" :class="{ recording: since !== null }" :aria-pressed="since !== null"
              :disabled="busy" data-testid="record" @click="press">
        <i class="record-dot" aria-hidden="true"></i>{{ since === null ? 'Record' : 'Stop recording ' + clock(since) }}</button>
      <a v-for="file in files" :key="file.name" :href="'/api/live/recordings/' + encodeURIComponent(file.name)"
         class="record-file" download data-testid="recording">{{ file.name }}</a>
      <span v-if="trouble" class="trouble" role="alert">{{ trouble }}</span>
    </span>`,
  data: () => ({ since: null, files: [], busy: false, trouble: "" }),
  mounted() {
    this.look();
    let rounds = 0;
    this.timer = setInterval(() => {
      if (!document.hidden && (this.since !== null || ++rounds % SELDOM === 0)) this.look();
    }, LOOK_MS);
  },
  unmounted() {
    clearInterval(this.timer);
  },
  methods: {
    clock: clockText,
    async look() {
      const live = await ask("GET", "/api/live").catch(() => null);
      if (!live) return;
      this.since = live.recording_seconds;
      this.files = live.files.slice(-3).reverse();
      if (live.recording_trouble) this.trouble = live.recording_trouble;
    },
    async press() {
      this.busy = true;
      this.trouble = "";
      try {
        await ask("POST", `/api/live/recording/${this.since === null ? "start" : "stop"}`, {});
      } catch (error) {
        this.trouble = error.message;
      }
      await this.look();
      this.busy = false;
    },
  },
};
