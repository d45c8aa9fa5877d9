// The tool's pose as numbers, in the units that are wanted.
import { nameOf, shown } from "/assets/units.js";

export default {
  props: ["pose", "status", "moving", "units"],
  emits: ["units"],
  template: `
    <section class="panel pose" aria-label="Tool pose">
      <div class="pose-head">
        <h2>Tool</h2>
        <span class="status" :class="{ on: moving }" data-testid="status">{{ status }}</span>
        <span class="grow"></span>
        <button class="unit-switch" :aria-label="'Lengths in ' + units.length + '; press to change'" data-testid="unit-length" @click="$emit('units', { ...units, length: units.length === 'm' ? 'mm' : 'm' })">{{ units.length }}</button>
        <button class="unit-switch" :aria-label="'Angles in ' + units.angle + '; press to change'" data-testid="unit-angle" @click="$emit('units', { ...units, angle: units.angle === 'deg' ? 'rad' : 'deg' })">{{ units.angle }}</button>
      </div>
      <dl>
        <div v-for="(name, i) in ['x', 'y', 'z']"><dt>{{ name }}</dt><dd :data-testid="'at-' + name">{{ text(pose.position[i], units.length) }}</dd></div>
        <div v-for="(name, i) in ['roll', 'pitch', 'yaw']"><dt>{{ name }}</dt><dd :data-testid="'at-' + name">{{ text(pose.rpy[i], units.angle) }}</dd></div>
      </dl>
    </section>`,
  methods: {
    text: (value, unit) => `${shown(value, unit)}${unit === "deg" ? "" : " "}${nameOf(unit)}`,
  },
};
