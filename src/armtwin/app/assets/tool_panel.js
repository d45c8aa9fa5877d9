// The tool by its pose: press and hold to jog, or type where it should be; branches to choose from.
import { holding } from "/assets/mover.js";
import { meant, nameOf, shown, unitOfAxis } from "/assets/units.js";

const AXES = ["x", "y", "z", "roll", "pitch", "yaw"];

const HoldButton = {
  props: ["label", "text", "disabled", "testid"],
  emits: ["begin", "end"],
  template: `<button class="hold" :disabled="disabled" :aria-label="label" :data-testid="testid" v-on="handlers">{{ text }}</button>`,
  created() {
    this.handlers = holding(() => this.$emit("begin"), () => this.$emit("end"));
  },
};

export default {
  components: { HoldButton },
  props: ["pose", "units", "disabled", "joints"],
  emits: ["jog", "rest", "target", "problem"],
  template: `
    <div class="tool">
      <div class="switch" role="radiogroup" aria-label="Jog along the axes of">
        <button v-for="name in ['base', 'tool']" role="radio" :aria-checked="frame === name" :class="{ on: frame === name }" @click="frame = name">{{ name === "base" ? "Base axes" : "Tool axes" }}</button>
      </div>
      <div v-for="(name, axis) in axes" :key="name" class="axis">
        <HoldButton text="−" :label="'Jog ' + name + ' down'" :testid="'jog-' + name + '-minus'" :disabled="disabled" @begin="$emit('jog', axis, -1, frame)" @end="$emit('rest')" />
        <span class="field">
          <label :for="'pose-' + name">{{ name }}</label>
          <input type="text" inputmode="decimal" :id="'pose-' + name" :data-testid="'pose-' + name" :disabled="disabled" :value="text(axis)"
                 @focus="edit(axis)" @input="draft = $event.target.value" @blur="editing = -1" @change="type(axis, $event)" @keydown.enter="$event.target.blur()">
          <span class="unit">{{ unit(axis) }}</span>
        </span>
        <HoldButton text="+" :label="'Jog ' + name + ' up'" :testid="'jog-' + name + '-plus'" :disabled="disabled" @begin="$emit('jog', axis, 1, frame)" @end="$emit('rest')" />
      </div>
      <button class="plain" :disabled="disabled" data-testid="find-branches" @click="find(values())">Other ways to reach this pose</button>
      <div v-if="branches.length" class="branches" role="group" aria-label="Branches">
        <button v-for="(branch, i) in branches" :key="i" :disabled="disabled" :aria-label="'Branch ' + (i + 1)" :class="{ on: i === chosen }" :data-testid="'branch-' + (i + 1)" @click="choose(i)">
          <b>{{ i + 1 }}</b><span v-for="word in words(branch)">{{ word }}</span>
        </button>
        <p v-for="note in notes" class="muted">{{ note }}</p>
      </div>
    </div>`,
  data: () => ({ axes: AXES, frame: "base", editing: -1, draft: "", branches: [], notes: [], chosen: 0 }),
  methods: {
    unit(axis) {
      return nameOf(unitOfAxis(this.units, axis));
    },
    values() {
      return [...this.pose.position, ...this.pose.rpy];
    },
    text(axis) {
      return this.editing === axis ? this.draft : shown(this.values()[axis], unitOfAxis(this.units, axis));
    },
    edit(axis) {
      this.draft = this.text(axis);
      this.editing = axis;
    },
    words(branch) {
      return branch.map((value, i) => shown(value, this.joints[i].kind === "prismatic" ? this.units.length : "deg").replace(/\.\d+$/, ""));
    },
    async type(axis, event) {
      const value = meant(event.target.value, unitOfAxis(this.units, axis));
      if (!Number.isFinite(value)) return;
      const wanted = this.values();
      wanted[axis] = value;
      if (await this.find(wanted)) this.choose(0);
    },
    async find(wanted) {
      const question = { position: wanted.slice(0, 3), rpy: wanted.slice(3), seed: this.$parent.q };
      try {
        const answer = await fetch("/api/ik", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
        const content = await answer.json();
        if (!answer.ok) throw new Error(content.error);
        [this.branches, this.notes, this.chosen] = [content.solutions, content.notes, 0];
        return true;
      } catch (problem) {
        [this.branches, this.notes] = [[], []];
        this.$emit("problem", problem.message);
        return false;
      }
    },
    choose(i) {
      this.chosen = i;
      this.$emit("target", this.branches[i]);
    },
  },
};
