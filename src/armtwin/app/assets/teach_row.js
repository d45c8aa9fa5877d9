// One taught position: its name and speed; opened, everything that can be done with it.
import { keptUnits, nameOf, shown, unitOfJoint } from "/assets/units.js";

export default {
  props: ["row", "index", "count", "joints", "active", "opened", "busy"],
  emits: ["open", "change", "move", "remove", "go", "again"],
  template: `
    <li class="taught" :class="{ active, opened }" :aria-current="active ? 'step' : null" data-testid="position">
      <button class="taught-head" :aria-expanded="opened" @click="$emit('open')">
        <span class="taught-number" aria-hidden="true">{{ active ? "▶" : index + 1 }}</span>
        <span class="taught-words">
          <span class="taught-name" data-testid="position-name">{{ row.name }}</span>
          <span class="muted taught-joints">{{ angles }}</span>
        </span>
        <span class="taught-speed">{{ Math.round(row.speed * 100) }} %<span v-if="row.dwell" class="muted"> · {{ row.dwell }} s</span></span>
      </button>
      <div v-if="opened" class="taught-body">
        <label class="line">Name <input class="input" v-model="name" maxlength="80" data-testid="edit-name" @change="$emit('change', { name })"></label>
        <label class="slide">Speed <input type="range" min="1" max="100" v-model.number="percent" data-testid="edit-speed" :aria-label="'Speed to ' + row.name + ' in percent'" @change="$emit('change', { speed: percent / 100 })"> <span>{{ percent }} %</span></label>
        <label class="line">Rest there [s] <input class="input short" type="number" min="0" max="600" step="0.1" v-model.number="dwell" @change="$emit('change', { dwell: Number(dwell) })"></label>
        <div class="buttons">
          <button class="btn" :disabled="index === 0" :aria-label="'Move ' + row.name + ' up'" data-testid="up" @click="$emit('move', index - 1)">↑ Up</button>
          <button class="btn" :disabled="index + 1 === count" :aria-label="'Move ' + row.name + ' down'" data-testid="down" @click="$emit('move', index + 1)">↓ Down</button>
          <button class="btn" data-robot :disabled="busy" data-testid="go" @click="$emit('go')">Go there</button>
          <button class="btn" data-robot :disabled="busy" @click="$emit('again')">Teach again</button>
          <button class="btn danger" data-testid="delete" :aria-label="'Delete ' + row.name" @click="$emit('remove')">Delete</button>
        </div>
      </div>
    </li>`,
  data() {
    return { units: keptUnits(), name: this.row.name, percent: Math.round(this.row.speed * 100), dwell: this.row.dwell };
  },
  watch: {
    "row.name"(name) {
      this.name = name;
    },
    "row.speed"(speed) {
      this.percent = Math.round(speed * 100);
    },
    "row.dwell"(dwell) {
      this.dwell = dwell;
    },
  },
  computed: {
    angles() {
      const one = (value, i) => {
        const unit = unitOfJoint(this.units, this.joints[i] || {});
        return `${Number(shown(value, unit)).toFixed(unit === "deg" ? 0 : 2)}${nameOf(unit) === "°" ? "°" : ""}`;
      };
      return this.row.q.map(one).join("  ");
    },
  },
};
