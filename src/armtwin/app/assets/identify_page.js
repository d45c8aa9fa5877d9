// The Identify page: the arm's own numbers from its recordings.
import ArmChoice from "/assets/arm_choice.js";
import DropZone from "/assets/drop_zone.js";
import JobView from "/assets/job_view.js";

const AIMS = {
  identify: ["Motors, friction, masses", "From recordings with joint positions and motor currents or torques."],
  calibrate: ["Geometry", "From joints with measured tool positions: lengths, angles, base and tool."],
};

export default {
  components: { ArmChoice, DropZone, JobView },
  template: `
    <div class="work job-page">
      <section class="panel setup" aria-label="Identify an arm">
        <h1 class="page-title">Identify</h1>
        <div class="buttons" role="radiogroup" aria-label="What to find">
          <button v-for="(words, name) in aims" :key="name" class="btn" role="radio" :aria-checked="aim === name" :class="{ on: aim === name }" :data-testid="'aim-' + name" @click="aim = name">{{ words[0] }}</button>
        </div>
        <p class="muted">{{ aims[aim][1] }} You get an arm file with better numbers, each with its 95 % interval.</p>
        <div class="pair">
          <DropZone v-model="train" many label="Recordings to fit to" testid="train" @problem="complain" />
          <DropZone v-model="test" many label="Recordings to test with (optional)" testid="test" @problem="complain" />
        </div>
        <ArmChoice v-model="arm" @problem="complain" />
        <label v-if="!test.length" class="check"><input type="checkbox" v-model="split" data-testid="split"> Keep a quarter of the data for the test</label>
        <details v-if="aim === 'identify'" class="more"><summary>More settings</summary><div>
          <label class="check"><input type="checkbox" v-model="payload"> Estimate a payload, too</label>
          <label class="field-box">Method<select v-model="method"><option :value="null">as suits the question</option><option value="joint">everything</option><option value="staged">motors and friction only (links as in the file)</option></select></label>
        </div></details>
        <button class="btn primary" :disabled="!train.length || !arm" data-testid="start" @click="start">Identify</button>
      </section>
      <JobView ref="job" :kinds="['identify', 'calibrate']" />
    </div>`,
  data: () => ({ aims: AIMS, aim: "identify", train: [], test: [], arm: "here", split: false, payload: false, method: null }),
  methods: {
    complain(text) {
      this.$refs.job.complain(text);
    },
    start() {
      const order = { kind: this.aim, arm: this.arm, recordings: this.train.map((file) => file.id), test: this.test.map((file) => file.id) };
      const kept = this.split && !this.test.length;
      if (this.aim === "identify") Object.assign(order, { method: this.method, payload: this.payload, split: kept ? 0.75 : null });
      else order.hold_out = kept ? 0.25 : 0;
      return this.$refs.job.start(order);
    },
  },
};
