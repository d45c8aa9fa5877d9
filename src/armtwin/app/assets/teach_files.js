// Programs as files: saved ones, this machine's, and exports.
import { ask, client } from "/assets/ask.js";

const EXPORTS = [
  ["program.json", "Program (JSON)"],
  ["points.csv", "Points (CSV)"],
  ["motion.csv", "Motion over time (CSV)"],
  ["program.script", "URScript"],
];

export default {
  props: ["program"],
  emits: ["changed", "problem", "said"],
  template: `
    <div class="files">
      <div class="buttons">
        <button class="btn" data-testid="save" @click="save(false)">Save</button>
        <button class="btn" data-testid="open" :aria-expanded="shown === 'open'" @click="show('open')">Open</button>
        <button class="btn" data-testid="export" :aria-expanded="shown === 'export'" @click="show('export')">Download</button>
        <button class="btn" @click="empty">New</button>
      </div>
      <div v-if="taken" class="notice" role="alert">
        A program of this name was saved before.
        <div class="buttons"><button class="btn danger" data-testid="overwrite" @click="save(true)">Replace it</button><button class="btn" @click="taken = false">Keep it</button></div>
      </div>
      <ul v-if="shown === 'open'" class="choices" data-testid="saved">
        <li v-for="one in saved" :key="one.file">
          <button class="btn wide" :disabled="one.arm !== program.arm" @click="load(one)">{{ one.name }} <span class="muted">{{ one.positions }} positions, {{ one.arm }}</span></button>
          <button class="btn danger" :aria-label="'Delete the saved program ' + one.name" @click="remove(one)">Delete</button>
        </li>
        <li v-if="!saved.length" class="muted">Nothing was saved yet.</li>
        <li><label class="btn wide filepick">From a file on this device<input type="file" accept=".json,application/json" data-testid="program-file" @change="read"></label></li>
      </ul>
      <ul v-if="shown === 'export'" class="choices">
        <li v-for="[form, label] in exports" :key="form"><a class="btn wide" :href="'/api/teach/export/' + form" download :data-testid="'export-' + form" @click="fetchFirst($event, form)">{{ label }}</a></li>
      </ul>
    </div>`,
  data: () => ({ shown: "", saved: [], taken: false, exports: EXPORTS }),
  methods: {
    async act(work) {
      try {
        return await work();
      } catch (problem) {
        this.$emit("problem", problem.message);
      }
    },
    async show(what) {
      this.shown = this.shown === what ? "" : what;
      if (this.shown === "open") await this.act(async () => (this.saved = await ask("GET", "/api/programs")));
    },
    async save(overwrite) {
      this.taken = false;
      try {
        const kept = await ask("POST", "/api/programs", { overwrite });
        this.$emit("said", `Saved as ${kept.name}.`);
      } catch (problem) {
        if (/overwriting/.test(problem.message)) this.taken = true;
        else this.$emit("problem", problem.message);
      }
    },
    load(one) {
      return this.put(() => ask("POST", `/api/programs/${encodeURIComponent(one.file)}/load`, { client: client() }));
    },
    empty() {
      const program = { name: "program", arm: this.program.arm, positions: [] };
      return this.put(() => ask("PUT", "/api/teach/program", { client: client(), program }));
    },
    async read(event) {
      const file = event.target.files[0];
      event.target.value = "";
      if (!file) return;
      await this.put(async () => {
        if (file.size > 1e6) throw new Error(`${file.name} is too large for a program (1 MB at most).`);
        return ask("PUT", "/api/teach/program", { client: client(), program: parsed(await file.text(), file.name) });
      });
    },
    async put(work) {
      const answer = await this.act(work);
      if (!answer) return;
      this.shown = "";
      this.$emit("changed", answer);
    },
    async remove(one) {
      await this.act(() => ask("DELETE", `/api/programs/${encodeURIComponent(one.file)}?client=${client()}`));
      await this.act(async () => (this.saved = await ask("GET", "/api/programs")));
    },
    // A refused export is shown on the page; the browser would save the refusal as a file.
    async fetchFirst(event, form) {
      if (form === "program.json") return;
      event.preventDefault();
      const response = await fetch(`/api/teach/export/${form}`);
      if (!response.ok) {
        this.$emit("problem", (await response.json()).error);
        return;
      }
      const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition"))[1];
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(await response.blob()), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    },
  },
};

function parsed(text, name) {
  try {
    return JSON.parse(text);
  } catch (problem) {
    throw new Error(`${name} is no program, or only a part of one: ${problem.message}`);
  }
}
