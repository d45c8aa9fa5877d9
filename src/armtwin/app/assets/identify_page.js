// The Identify page: the arm's parameters from its recordings.
import ArmChoice from "/assets/arm_choice.js";
import DropZone from "/assets/drop_zone.js";
import JobView from "/assets/job_view.js";
import MappingField from "/assets/mapping_field.js";

const AIMS = {
  identify: ["Motors, friction, masses", "From recordings with joint positions and motor currents or torques."],
  calibrate: ["Geometry", "From joints with measured tool positions: lengths, angles, base and tool."],
};

const SETS = ["auto", "frames", "offsets", "lengths", "geometry", "compliance", "single"];

export default {
  components: { ArmChoice, DropZone, JobView, MappingField },
  props: ["mappings"],
  template: `
    <div class="work job-page">
      <section class="panel setup" aria-label="Identify an arm">
        <h1 class="page-title">Identify</h1>
        <div class="buttons" role="radiogroup" aria-label="What to find">
          <button v-for="(words, name) in aims" :key="name" class="btn" role="radio" :aria-checked="aim === name" :class="{ on: aim === name }" :data-testid="'aim-' + name" @click="aim = name">{{ words[0] }}</button>
        </div>
        <p class="muted">{{ aims[aim][1] }} The result is an arm file with the estimated parameters, each with its 95 % interval.</p>
        <div class="pair">
          <DropZone v-model="train" many label="Recordings to fit to" testid="train" @problem="complain" />
          <DropZone v-model="test" many label="Recordings to test with (optional)" testid="test" @problem="complain" />
        </div>
        <ArmChoice v-model="arm" @problem="complain" />
        <label v-if="!test.length" class="check"><input type="checkbox" v-model="split" data-testid="split"> Keep a quarter of the data for the test</label>
        <details class="more"><summary>More settings</summary><div>
          <template v-if="aim === 'identify'">
            <label class="check"><input type="checkbox" v-model="payload" data-testid="payload"> Estimate a payload, too</label>
            <label class="check"><input type="checkbox" v-model="mounting" data-testid="mounting"> Estimate the mounting (direction of gravity), too</label>
            <label class="field-box">Method<select v-model="method"><option :value="null">default</option><option value="joint">joint: everything</option><option value="staged">staged: motors and friction, links as in the file</option></select></label>
          </template>
          <template v-else>
            <label class="check"><input type="checkbox" v-model="shared"> All recordings share one base and tool</label>
            <label class="field-box">Parameters<select v-model="parameters" data-testid="parameters"><option v-for="name in sets" :key="name" :value="name">{{ name }}</option></select></label>
          </template>
          <MappingField v-model="mapping" :names="mappings" @problem="complain" />
        </div></details>
        <button class="btn primary" :disabled="!train.length || !arm" data-testid="start" @click="start">Identify</button>
      </section>
      <JobView ref="job" :kinds="['identify', 'calibrate']" />
    </div>`,
  data: () => ({ aims: AIMS, aim: "identify", train: [], test: [], arm: "here", split: false, payload: false, mounting: false, method: null, shared: false, parameters: "auto", sets: SETS, mapping: null }),
  methods: {
    complain(text) {
      this.$refs.job.complain(text);
    },
    start() {
      const [recordings, test] = [this.train, this.test].map((files) => files.map((file) => file.id));
      const order = { kind: this.aim, arm: this.arm, mapping: this.mapping, recordings, test };
      const kept = this.split && !test.length;
      if (this.aim === "identify") order.options = { method: this.method, payload: this.payload, mounting: this.mounting, split: kept ? 0.75 : null };
      else Object.assign(order, { options: { parameters: this.parameters, hold_out: kept ? 0.25 : 0 }, groups: this.shared ? [[...recordings, ...test]] : [] });
      return this.$refs.job.start(order);
    },
  },
};
