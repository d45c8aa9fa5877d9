// Stop, and who has control: on every page, at work even where the rest of the page hangs.
import { stream } from "/assets/stream.js";

export default {
  template: `
    <div class="control-bar">
      <span v-if="!connected" class="chip chip-lost" role="status">
        <span class="dot"></span>No connection
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
    </div>`,
  data: () => ({ connected: false, canMove: true, real: false, pressed: false, mine: false, holder: null, asking: [], asked: false }),
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
      stream.on("link", (connected) => (this.connected = connected)),
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
