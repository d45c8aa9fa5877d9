// Parts of the Live page and of the first-time page: push, alarms, what is wrong with the robot.
import { ask, client } from "/assets/ask.js";
import { clockText } from "/assets/live_chart.js";

export const MOST_ALARMS = 200;

// Alarms by when they were raised; those that grow or end are replaced.
export class Alarms {
  constructor() {
    this.list = [];
    this.sign = "";
  }

  clear() {
    this.list = [];
    this.sign = "";
  }

  // Takes alarms, newest last; returns whether anything is new.
  take(alarms) {
    const last = alarms[alarms.length - 1];
    const sign = last ? `${alarms.length} ${last.time} ${last.end} ${last.torque} ${last.joint}` : "";
    if (sign === this.sign) return false;
    this.sign = sign;
    const key = (alarm) => `${alarm.time} ${alarm.joint}`;
    const known = new Map(this.list.map((alarm) => [key(alarm), alarm]));
    for (const alarm of alarms) known.set(key(alarm), alarm);
    this.list = [...known.values()].sort((a, b) => a.time - b.time).slice(-MOST_ALARMS);
    return true;
  }
}

export const AlarmList = {
  props: { alarms: Array, empty: { default: "No alarm so far." } },
  template: `
    <div>
      <p v-if="!alarms.length" class="muted live-empty">{{ empty }}</p>
      <ol class="alarm-list" role="log" aria-live="polite" aria-label="Alarms, newest first">
        <li v-for="alarm in newest" :key="alarm.time + ' ' + alarm.joint" data-testid="alarm">
          <span class="alarm-time">{{ clock(alarm.time) }}</span>
          <span class="alarm-text">{{ alarm.joint ? 'Contact: ' : '' }}{{ alarm.text }}</span>
          <span class="muted">{{ lasted(alarm) }}</span>
        </li>
      </ol>
    </div>`,
  computed: {
    newest() {
      return this.alarms.slice(-50).reverse();
    },
  },
  methods: {
    clock: clockText,
    lasted(alarm) {
      if (!alarm.joint) return "";
      return alarm.end === null ? "now" : `${(alarm.end - alarm.time).toFixed(2)} s`;
    },
  },
};

export const PushPanel = {
  props: { joints: { default: 6 }, disabled: Boolean },
  template: `
    <form class="push" @submit.prevent="push">
      <label>Joint
        <select v-model.number="joint" aria-label="Joint to push" data-testid="push-joint">
          <option v-for="k in joints" :key="k" :value="k">{{ k }}</option>
        </select>
      </label>
      <label class="grow">Strength {{ torque }} Nm
        <input type="range" min="5" max="80" step="5" v-model.number="torque"
               aria-label="Strength of the push in Nm" data-testid="push-torque">
      </label>
      <button type="submit" class="main-button" :disabled="disabled || busy" data-testid="push">Push</button>
      <p v-if="trouble" class="trouble" role="alert">{{ trouble }}</p>
    </form>`,
  data: () => ({ joint: 2, torque: 25, busy: false, trouble: "" }),
  methods: {
    async push() {
      this.busy = true;
      this.trouble = "";
      try {
        await ask("POST", "/api/live/push", { client: client(), joint: this.joint, torque: this.torque, seconds: 0.4 });
      } catch (error) {
        this.trouble = error.message;
      }
      this.busy = false;
    },
  },
};

const CALM = ["ready", "moving", "playing", "paused", "limp", ""];

export const RobotStatus = {
  props: { status: String, canUnlock: Boolean },
  template: `
    <div v-if="bad" class="status-bad" role="alert" data-testid="robot-status">
      <strong>{{ words }}</strong>
      <button v-if="canUnlock && status === 'protective stop'" class="plain-button" :disabled="busy"
              data-testid="unlock" @click="unlock">Unlock</button>
      <span v-if="trouble">{{ trouble }}</span>
    </div>`,
  data: () => ({ busy: false, trouble: "" }),
  computed: {
    bad() {
      return Boolean(this.status) && !CALM.includes(this.status);
    },
    words() {
      if (this.status === "lost") return "The robot is lost: connecting again.";
      if (this.status === "protective stop") return "Protective stop: the robot was hit hard and holds still.";
      return this.status.charAt(0).toUpperCase() + this.status.slice(1);
    },
  },
  watch: {
    status() {
      this.trouble = "";
    },
  },
  methods: {
    async unlock() {
      this.busy = true;
      try {
        await ask("POST", "/api/live/unlock", { client: client() });
        this.trouble = "";
      } catch (error) {
        this.trouble = error.message.includes("5s") ? "Wait 5 s after the stop, then unlock." : error.message;
      }
      this.busy = false;
    },
  },
};
