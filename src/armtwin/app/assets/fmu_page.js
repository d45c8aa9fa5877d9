// The FMU page: an arm's model for other simulators.
import ArmChoice from "/assets/arm_choice.js";
import JobView from "/assets/job_view.js";

export default {
  components: { ArmChoice, JobView },
  props: ["models"],
  template: `
    <div class="work job-page">
      <section class="panel setup" aria-label="Export an FMU">
        <h1 class="page-title">FMU</h1>
        <p class="muted">Take the arm's model into another simulator: native code, no Python inside, the arm's numbers as parameters.</p>
        <ArmChoice v-model="arm" @problem="complain" />
        <label class="field-box">Model<select v-model="model" data-testid="model"><option v-for="(summary, name) in models" :key="name" :value="name">{{ name }}: {{ summary }}</option></select></label>
        <div class="pair">
          <label class="field-box">FMI version<select v-model.number="fmi" data-testid="fmi"><option :value="2">2.0</option><option :value="3">3.0</option></select></label>
          <label class="field-box">Platforms<select v-model="platform" data-testid="platform"><option value="host">this machine's</option><option value="all">Linux, Windows, macOS (slower)</option></select></label>
        </div>
        <button class="btn primary" :disabled="!arm" data-testid="start" @click="start">Make the FMU</button>
      </section>
      <JobView ref="job" :kinds="['fmu']" />
    </div>`,
  data: () => ({ arm: "here", model: "fk", fmi: 2, platform: "host" }),
  methods: {
    complain(text) {
      this.$refs.job.complain(text);
    },
    start() {
      return this.$refs.job.start({ kind: "fmu", arm: this.arm, model: this.model, fmi: this.fmi, platform: this.platform });
    },
  },
};
