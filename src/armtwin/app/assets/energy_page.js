// The Energy page: the energy balance of a recording, and the motion of least energy.
import ArmChoice from "/assets/arm_choice.js";
import DropZone from "/assets/drop_zone.js";
import JobView from "/assets/job_view.js";
import MappingField from "/assets/mapping_field.js";
import { ask } from "/assets/ask.js";
import { stream } from "/assets/stream.js";
import { keptUnits, meant, nameOf, shown, unitOfJoint } from "/assets/units.js";

const AIMS = { energy: "Where it goes", optimize: "A motion that takes less" };

export default {
  components: { ArmChoice, DropZone, JobView, MappingField },
  props: ["mappings"],
  template: `
    <div class="work job-page">
      <section class="panel setup" aria-label="Energy">
        <h1 class="page-title">Energy</h1>
        <div class="buttons" role="radiogroup" aria-label="What to find">
          <button v-for="(label, name) in aims" :key="name" class="btn" role="radio" :aria-checked="aim === name" :class="{ on: aim === name }" :data-testid="'aim-' + name" @click="aim = name">{{ label }}</button>
        </div>
        <p class="muted">{{ aim === "energy" ? "Energy balance of a recording or a plan: motors, friction, heat, regenerated energy." : "Find the motion between two positions that takes the least energy, and what it saves." }} The arm needs masses and motor data; ur5e-energy has them.</p>
        <ArmChoice v-model="arm" @problem="complain" />
        <DropZone v-if="aim === 'energy'" v-model="files" label="Recording or plan" testid="recording" @problem="complain" />
        <template v-else>
          <fieldset v-for="(point, k) in points" :key="k" class="field-box">
            <legend>{{ k ? "To" : "From" }}</legend>
            <div class="joint-fields">
              <label v-for="(joint, i) in joints" :key="i">{{ i + 1 }} [{{ unit(joint) }}]<input class="input" inputmode="decimal" :value="text(point[i], joint)" :data-testid="(k ? 'to-' : 'from-') + (i + 1)" @change="point[i] = value($event.target.value, joint)"></label>
            </div>
            <button class="btn" :disabled="!fits" @click="here(k)">Where the arm is now</button>
          </fieldset>
          <label class="slide">Time <input type="range" min="1" max="3" step="0.05" v-model.number="slower" aria-label="Time against the plain motion"> <span>× {{ slower.toFixed(2) }}</span></label>
        </template>
        <label class="field-box">Idle power of the robot [W], if known<input class="input short" type="number" min="0" max="10000" v-model="idle"></label>
        <details class="more"><summary>More settings</summary><div>
          <label class="field-box">Payload on the flange [kg]<input class="input short" type="number" min="0" max="1000" step="any" v-model="payload" data-testid="payload"></label>
          <template v-if="aim === 'energy'">
            <label class="check"><input type="checkbox" v-model="measured"> Torques from the recorded motor currents</label>
            <MappingField v-model="mapping" :names="mappings" @problem="complain" />
          </template>
        </div></details>
        <button class="btn primary" :disabled="!ready" data-testid="start" @click="start">{{ aim === "energy" ? "Balance" : "Optimise" }}</button>
      </section>
      <JobView ref="job" :kinds="['energy', 'optimize']" />
    </div>`,
  data: () => ({ aims: AIMS, aim: "energy", files: [], arm: "here", joints: [], points: [[], []], slower: 1, idle: "", payload: "", measured: false, mapping: null, dofHere: 0, units: keptUnits() }),
  computed: {
    fits() {
      return this.dofHere === this.joints.length;
    },
    ready() {
      const given = this.aim === "energy" ? this.files.length : this.points.every((point) => point.every(Number.isFinite));
      return Boolean(this.arm && given);
    },
  },
  watch: {
    arm: { immediate: true, handler: "meet" },
  },
  mounted() {
    this.end = stream.on("hello", (hello) => (this.dofHere = hello.arm.dof));
  },
  unmounted() {
    this.end();
  },
  methods: {
    async meet() {
      const uploaded = /^[0-9a-f]{32}$/.test(this.arm);
      if (!this.arm || uploaded) return;
      try {
        const found = await ask("GET", `/api/arms/${this.arm === "here" ? "shown" : this.arm}`);
        this.joints = found.joints;
        this.points = found.dof === 6 ? [[0, -1.5, 1, -0.5, 1, 0], [1.5, -1, 0.5, -1, -1, 1]] : [found.joints.map(() => 0), found.joints.map(() => 0.5)];
      } catch (problem) {
        this.complain(problem.message);
      }
    },
    unit(joint) {
      return nameOf(unitOfJoint(this.units, joint));
    },
    text(value, joint) {
      return Number.isFinite(value) ? shown(value, unitOfJoint(this.units, joint)) : "";
    },
    value(text, joint) {
      return meant(text, unitOfJoint(this.units, joint));
    },
    here(k) {
      if (stream.state) this.points[k] = [...stream.state.q];
    },
    complain(text) {
      this.$refs.job.complain(text);
    },
    start() {
      const order = { kind: this.aim, arm: this.arm, idle_power: this.idle === "" ? null : Number(this.idle) };
      if (this.payload !== "") order.payload = Number(this.payload);
      if (this.aim === "energy") Object.assign(order, { recording: this.files[0].id, measured: this.measured, mapping: this.mapping });
      else Object.assign(order, { points: this.points, slower: this.slower });
      return this.$refs.job.start(order);
    },
  },
};
