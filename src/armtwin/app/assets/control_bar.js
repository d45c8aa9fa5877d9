// Stop, and who has control: on every page, at work even where the rest of the page hangs.
import { stream } from "/assets/stream.js";

// Lets nothing be pressed that would not work: the whole page without a connection to the app, and
// what needs the robot (marked data-robot) while the robot is lost. STOP and Escape always work.
function markLost() {
  for (const part of document.querySelectorAll(".q-page-container, .app-nav, .app-foot")) part.inert = !stream.connected;
  for (const part of document.querySelectorAll("[data-robot]")) part.inert = stream.lost;
}

export default {
  template: `
    <div class="control-bar">
      <span v-if="!connected" class="chip chip-lost" role="status">
        <span class="dot"></span>No connection
      </span>
      <span v-else-if="lost" class="chip chip-lost" role="status" data-testid="robot-lost"
            title="Nothing is heard of the robot: what is shown of it is old, and it gets no commands">
        <span class="dot"></span>Robot lost
      </span>
      <button v-else-if="canMove" class="chip" :class="{ 'chip-mine': mine }" :title="hint"
              :aria-label="hint" data-testid="lease" @click="press">
        <span class="dot" :class="{ on: mine }"></span>{{ label }}
      </button>
      <span v-else-if="real" class="chip chip-lost" role="status" data-testid="watching"
            title="This arm is only watched: it was not allowed to be moved (--i-mean-it)">
        {{ pressed ? "Stop it at the arm itself" : "Watching only" }}
      </span>
      <button class="stop" aria-label="Stop the arm (Escape)" title="Stop (Escape)"
              data-testid="stop" @pointerdown.prevent="stop" @click="stop">STOP</button>
      <div v-if="undelivered" class="stop-failed" role="alert" data-testid="stop-failed">
        <span><b>STOP</b> {{ undelivered }}</span>
        <button data-testid="stop-failed-seen" @click="undelivered = ''">Understood</button>
      </div>
    </div>`,
  data: () => ({ connected: false, lost: false, undelivered: "", canMove: true, real: false, pressed: false, mine: false, holder: null, asking: [], asked: false }),
  computed: {
    label() {
      if (this.mine) return this.asking.length ? `Hand over to ${this.asking[0]}` : "In control";
      if (!this.holder) return "Take control";
      return this.asked ? "Asked for control" : `Ask ${this.holder}`;
    },
    hint() {
      if (this.mine) return this.asking.length ? `${this.asking[0]} asks for control: press to hand it over` : "You have control: press to give it back";
      if (!this.holder) return "Nobody has control: press to take it";
      return `${this.holder} has control: press to ask for it`;
    },
  },
  mounted() {
    this.ends = [
      stream.on("link", (connected) => {
        this.connected = connected;
        this.marked = true;
        markLost();
      }),
      stream.on("stop", (trouble) => (this.undelivered = trouble)),
      stream.on("hello", (hello) => {
        this.canMove = hello.can_move;
        this.real = hello.real;
      }),
      stream.on("state", (state) => this.show(state)),
    ];
    this.onKey = (event) => {
      if (event.key === "Escape") this.stop();
    };
    addEventListener("keydown", this.onKey, true);
  },
  unmounted() {
    this.ends.forEach((end) => end());
    removeEventListener("keydown", this.onKey, true);
  },
  methods: {
    show(state) {
      this.lost = stream.lost;
      if (this.lost || this.marked) markLost();
      this.marked = this.lost;
      this.mine = stream.mine;
      this.holder = state.lease.holder;
      const asking = state.lease.asking;
      if (asking.join() !== this.asking.join()) this.asking = asking;
      this.asked = Boolean(stream.hello) && asking.includes(stream.hello.you);
    },
    press() {
      stream.send({ type: this.mine ? "give" : this.holder ? "ask" : "take" });
    },
    stop() {
      stream.stop();
      this.pressed = true;
    },
  },
};
