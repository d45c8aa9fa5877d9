// The Check page: compares the twin with a recording of the real arm.
import ArmChoice from "/assets/arm_choice.js";
import DropZone from "/assets/drop_zone.js";
import JobView from "/assets/job_view.js";
import MappingField from "/assets/mapping_field.js";

export default {
  components: { ArmChoice, DropZone, JobView, MappingField },
  props: ["mappings"],
  template: `
    <div class="work job-page">
      <section class="panel setup" aria-label="Check a recording">
        <h1 class="page-title">Check</h1>
        <p class="muted">Run the twin on a recording of the real arm and see the errors between them.</p>
        <DropZone v-model="files" label="Recording" testid="recording" @problem="complain" />
        <ArmChoice v-model="arm" @problem="complain" />
        <details class="more"><summary>More settings</summary><div>
          <label class="check"><input type="checkbox" v-model="fitTool"> Fit a constant tool</label>
          <label class="check"><input type="checkbox" v-model="fitBase"> Fit a constant base</label>
          <label class="check"><input type="checkbox" v-model="removeLag"> Remove the lag before judging</label>
          <label class="field-box">Angles in the file<select v-model="angles"><option value="">as the file says</option><option value="rad">radians</option><option value="deg">degrees</option></select></label>
          <label class="check"><input type="checkbox" v-model="efforts"> Compare torques, currents and power, too</label>
          <MappingField v-model="mapping" :names="mappings" @problem="complain" />
          <DropZone v-model="factory" label="Factory calibration of a UR robot (YAML, optional)" kind="calibration" testid="factory" @problem="complain" />
          <label class="field-box">Limits, split by commas (such as position=1mm, angle=0.1deg)<input class="input" v-model="limits" data-testid="limits"></label>
        </div></details>
        <button class="btn primary" :disabled="!files.length || !arm" data-testid="start" @click="start">Check</button>
      </section>
      <JobView ref="job" :kinds="['validate']" />
    </div>`,
  data: () => ({ files: [], arm: "here", fitTool: false, fitBase: false, removeLag: false, angles: "", limits: "", efforts: true, mapping: null, factory: [] }),
  methods: {
    complain(text) {
      this.$refs.job.complain(text);
    },
    start() {
      const limits = this.limits.split(/[,;]/).map((word) => word.trim()).filter(Boolean);
      const options = {
        limits, fit_tool: this.fitTool, fit_base: this.fitBase, remove_lag: this.removeLag,
        efforts: this.efforts, calibration: this.factory.length ? this.factory[0].id : null,
      };
      return this.$refs.job.start({
        kind: "validate", arm: this.arm, recording: this.files[0].id, angles: this.angles || null,
        mapping: this.mapping, options,
      });
    },
  },
};
