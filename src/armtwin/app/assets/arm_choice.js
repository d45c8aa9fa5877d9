// Which arm: the one that is shown, one of the catalogue, or an arm file.
import DropZone from "/assets/drop_zone.js";
import { ask } from "/assets/ask.js";
import { stream } from "/assets/stream.js";

export default {
  components: { DropZone },
  props: ["modelValue"],
  emits: ["update:modelValue", "problem"],
  template: `
    <div class="field-box">
      <label :for="id">Arm</label>
      <select :id="id" :value="choice" data-testid="arm" @change="choose($event.target.value)">
        <option value="here">This arm ({{ here }})</option>
        <option v-for="name in names" :key="name" :value="name">{{ name }}</option>
        <option value="file">An arm file …</option>
      </select>
      <DropZone v-if="choice === 'file'" v-model="files" kind="arm" label="Arm file" testid="arm-file" @problem="$emit('problem', $event)" />
      <template v-if="choice === 'file'">
        <label :for="id + '-tip'">Tip link, if a URDF branches</label>
        <input class="input" :id="id + '-tip'" v-model.trim="tip" data-testid="arm-tip" />
        <label :for="id + '-base'">Base link, if not the root</label>
        <input class="input" :id="id + '-base'" v-model.trim="base" data-testid="arm-base" />
      </template>
    </div>`,
  data: () => ({ names: [], here: "", choice: "here", files: [], tip: "", base: "", id: `arm-${Math.random().toString(36).slice(2)}` }),
  watch: {
    files() {
      this.$emit("update:modelValue", this.chosenFile());
    },
    tip() {
      this.$emit("update:modelValue", this.chosenFile());
    },
    base() {
      this.$emit("update:modelValue", this.chosenFile());
    },
    modelValue(value) {
      if (this.names.includes(value)) this.choice = value;
    },
  },
  async mounted() {
    this.end = stream.on("hello", (hello) => (this.here = hello.arm.name));
    this.names = await ask("GET", "/api/arms");
    if (this.names.includes(this.modelValue)) this.choice = this.modelValue;
  },
  unmounted() {
    this.end();
  },
  methods: {
    choose(value) {
      this.choice = value;
      this.$emit("update:modelValue", value === "file" ? this.chosenFile() : value);
    },
    chosenFile() {
      const id = this.files[0]?.id || "";
      const chain = [this.tip && `tip=${this.tip}`, this.base && `base=${this.base}`].filter(Boolean);
      return id && chain.length ? `${id}#${chain.join(",")}` : id;
    },
  },
};
