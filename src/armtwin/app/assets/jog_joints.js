// Move joint by joint while a button is pressed: works on every arm, with one thumb.
import { haveControl } from "/assets/ask.js";
import { Mover, holding } from "/assets/mover.js";
import { stream } from "/assets/stream.js";
import { keptUnits, nameOf, shown, unitOfJoint } from "/assets/units.js";

const AHEAD = { revolute: 1, prismatic: 0.1 };

export default {
  emits: ["problem"],
  template: `
    <div class="jog">
      <div v-for="(joint, i) in joints" :key="i" class="jog-row">
        <button class="btn hold" v-on="holds[i][0]" :aria-label="'Joint ' + (i + 1) + ' down, hold'" :data-testid="'jog-down-' + (i + 1)">−</button>
        <span class="jog-value"><span class="muted">Joint {{ i + 1 }}</span>{{ text(i) }}</span>
        <button class="btn hold" v-on="holds[i][1]" :aria-label="'Joint ' + (i + 1) + ' up, hold'" :data-testid="'jog-up-' + (i + 1)">+</button>
      </div>
      <label class="slide">Jog speed <input type="range" min="5" max="100" step="5" v-model.number="percent" aria-label="Jog speed in percent"> <span>{{ percent }} %</span></label>
    </div>`,
  data: () => ({ joints: [], q: [], percent: 25, units: keptUnits() }),
  created() {
    this.mover = new Mover();
    this.holds = [];
    this.ends = [
      stream.on("hello", (hello) => {
        this.holds = hello.arm.joints.map((joint, i) => [-1, 1].map((sign) => holding(() => this.begin(i, sign), () => this.rest())));
        this.joints = hello.arm.joints;
      }),
      stream.on("state", (state) => (this.q = state.q)),
    ];
  },
  unmounted() {
    this.ends.forEach((end) => end());
    this.mover.close();
  },
  methods: {
    text(i) {
      const unit = unitOfJoint(this.units, this.joints[i]);
      return `${shown(this.q[i] ?? 0, unit)}${nameOf(unit) === "°" ? "" : " "}${nameOf(unit)}`;
    },
    async begin(i, sign) {
      this.wanted = true;
      try {
        await haveControl();
      } catch (problem) {
        this.$emit("problem", problem.message);
        return;
      }
      if (this.wanted) this.mover.begin(() => ({ type: "follow", q: this.aim(i, sign), speed: this.percent / 100 }));
    },
    aim(i, sign) {
      const joint = this.joints[i];
      const next = this.q[i] + sign * AHEAD[joint.kind];
      const q = [...this.q];
      q[i] = Math.min(Math.max(next, joint.lower ?? -Infinity), joint.upper ?? Infinity);
      return q;
    },
    rest() {
      this.wanted = false;
      if (this.mover.busy) stream.send({ type: "rest" });
      this.mover.end();
    },
  },
};
