// Names of a recording's columns: recognised, a bundled dialect, or a mapping file.
import DropZone from "/assets/drop_zone.js";

export default {
  components: { DropZone },
  props: ["modelValue", "names"],
  emits: ["update:modelValue", "problem"],
  template: `
    <div class="field-box">
      <label :for="id">Names of the columns</label>
      <select :id="id" v-model="choice" data-testid="mapping">
        <option value="">recognised by armtwin</option>
        <option v-for="name in names" :key="name" :value="name">{{ name }}</option>
        <option value="file">A mapping file …</option>
      </select>
      <DropZone v-if="choice === 'file'" v-model="files" kind="mapping" label="Mapping file (TOML)" testid="mapping-file" @problem="$emit('problem', $event)" />
    </div>`,
  data: () => ({ choice: "", files: [], id: `mapping-${Math.random().toString(36).slice(2)}` }),
  computed: {
    value() {
      return (this.choice === "file" ? this.files[0]?.id : this.choice) || null;
    },
  },
  watch: {
    value(value) {
      this.$emit("update:modelValue", value);
    },
  },
};
