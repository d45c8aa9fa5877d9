// A place to drop files, or to pick them; also the recordings made on the Live page.
import { ask, sendFile } from "/assets/ask.js";

export default {
  props: { modelValue: Array, label: String, many: Boolean, kind: { default: "recording" }, testid: String },
  emits: ["update:modelValue", "problem"],
  template: `
    <div>
      <label class="drop" :class="{ over }" @dragover.prevent="over = true" @dragleave="over = false" @drop.prevent="drop">
        <b>{{ label }}</b>
        <span class="muted">{{ hint }}</span>
        <input type="file" :multiple="many" :data-testid="testid" @change="pick">
      </label>
      <div v-if="share !== null" class="bar" role="progressbar" :aria-valuenow="Math.round(share * 100)" aria-label="Sending"><i :style="{ width: share * 100 + '%' }"></i></div>
      <label v-if="own.length" class="field-box">or one recorded here
        <select aria-label="Recording made on the Live page" @change="takeOwn"><option value="">choose …</option><option v-for="one in own" :key="one.name" :value="one.name">{{ one.name }}</option></select>
      </label>
      <ul v-if="modelValue.length" class="sent">
        <li v-for="(file, i) in modelValue" :key="file.id"><span data-testid="sent">{{ file.name }} <span class="muted">{{ size(file) }}</span></span>
          <button class="btn" :aria-label="'Take ' + file.name + ' away'" @click="drop1(i)">✕</button></li>
      </ul>
    </div>`,
  data: () => ({ over: false, share: null, own: [] }),
  computed: {
    hint() {
      const kinds = { arm: "TOML, URDF", mapping: "TOML", calibration: "YAML" };
      return `drop it here or tap: ${kinds[this.kind] || "CSV, XLSX, Parquet, ROS 2 bag"}`;
    },
  },
  async mounted() {
    if (this.kind !== "recording") return;
    try {
      this.own = (await ask("GET", "/api/live")).files;
    } catch {
      this.own = [];
    }
  },
  methods: {
    size: (file) => (file.size ? `${Math.max(file.size / 1e6, 0.01).toFixed(2)} MB` : ""),
    drop(event) {
      this.over = false;
      this.send([...event.dataTransfer.files]);
    },
    pick(event) {
      const files = [...event.target.files];
      event.target.value = "";
      this.send(files);
    },
    async send(files) {
      for (const file of this.many ? files : files.slice(0, 1)) {
        try {
          this.share = 0;
          this.put(await sendFile(file, this.kind === "arm" ? "arm" : "recording", (share) => (this.share = share)));
        } catch (problem) {
          this.$emit("problem", `${file.name}: ${problem.message}`);
        }
      }
      this.share = null;
    },
    takeOwn(event) {
      const name = event.target.value;
      event.target.value = "";
      if (name) this.put({ id: `own:${name}`, name, size: 0 });
    },
    put(file) {
      this.$emit("update:modelValue", this.many ? [...this.modelValue, file] : [file]);
    },
    drop1(i) {
      this.$emit("update:modelValue", this.modelValue.filter((_, k) => k !== i));
    },
  },
};
