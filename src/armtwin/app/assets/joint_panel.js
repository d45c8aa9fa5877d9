// A slider for every joint: its knob is the target, the mark below it is where the joint is.
import { meant, nameOf, shown, unitOfJoint } from "/assets/units.js";

const FREE = { revolute: 2 * Math.PI, prismatic: 1 };
const STEP = { revolute: Math.PI / 180, prismatic: 0.001 };

export default {
  props: ["joints", "q", "target", "units", "disabled"],
  emits: ["target"],
  data: () => ({ editing: -1, draft: "" }),
  template: `
    <div class="joints">
      <div v-for="(joint, i) in joints" :key="i" class="joint" :class="{ near: isNear(i) }">
        <label :for="'joint-' + (i + 1)" class="joint-name">{{ i + 1 }} <span>{{ label(joint) }}</span></label>
        <div class="track">
          <input type="range" :id="'joint-' + (i + 1)" :data-testid="'joint-' + (i + 1)" step="any"
                 :min="low(i)" :max="high(i)" :value="target[i]" :disabled="disabled"
                 :aria-valuetext="text(i, target[i]) + ' ' + unit(i)"
                 @input="set(i, Number($event.target.value))" @keydown="nudge($event, i)">
          <span class="mark" :style="{ left: share(i) }" aria-hidden="true"></span>
        </div>
        <span class="field">
          <input type="text" inputmode="decimal" :value="editing === i ? draft : text(i, target[i])" :disabled="disabled"
                 @focus="edit(i)" @input="draft = $event.target.value" @blur="editing = -1"
                 :aria-label="'Joint ' + (i + 1) + ' target in ' + unit(i)" :data-testid="'joint-value-' + (i + 1)"
                 @change="type(i, $event)" @keydown.enter="$event.target.blur()">
          <span class="unit">{{ unit(i) }}</span>
        </span>
        <span class="limits">{{ text(i, low(i), true) }} to {{ text(i, high(i), true) }} {{ unit(i) }}<span v-if="isNear(i)">, at its limit</span></span>
      </div>
    </div>`,
  methods: {
    label: (joint) => joint.name.replace(/[_-]/g, " ").replace(/^joint \d+$| joint$/, ""),
    low(i) {
      return this.joints[i].lower ?? -FREE[this.joints[i].kind];
    },
    high(i) {
      return this.joints[i].upper ?? FREE[this.joints[i].kind];
    },
    unit(i) {
      return nameOf(unitOfJoint(this.units, this.joints[i]));
    },
    text(i, value, round = false) {
      const words = shown(value ?? 0, unitOfJoint(this.units, this.joints[i]));
      return round ? String(Number(Number(words).toFixed(2))) : words;
    },
    share(i) {
      const part = ((this.q[i] ?? 0) - this.low(i)) / (this.high(i) - this.low(i));
      return `calc(11px + (100% - 22px) * ${Math.min(Math.max(part, 0), 1)})`;
    },
    isNear(i) {
      const joint = this.joints[i];
      const q = this.q[i];
      return (joint.lower !== null && q - joint.lower < 0.05) || (joint.upper !== null && joint.upper - q < 0.05);
    },
    set(i, value) {
      const next = [...this.target];
      next[i] = Math.min(Math.max(value, this.low(i)), this.high(i));
      this.$emit("target", next);
    },
    edit(i) {
      this.draft = this.text(i, this.target[i]);
      this.editing = i;
    },
    type(i, event) {
      const value = meant(event.target.value, unitOfJoint(this.units, this.joints[i]));
      if (Number.isFinite(value)) this.set(i, value);
    },
    nudge(event, i) {
      const step = { ArrowRight: 1, ArrowUp: 1, PageUp: 10, ArrowLeft: -1, ArrowDown: -1, PageDown: -10 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.set(i, this.target[i] + step * STEP[this.joints[i].kind] * (event.shiftKey ? 0.1 : 1));
    },
  },
};
