// A job from start to result: what it does now, cancel, verdict, tables, downloads, or its error.
import { ask } from "/assets/ask.js";

const PERIOD_MS = 300;

export default {
  props: ["kinds"],
  template: `
    <section v-if="problem || job" class="panel result" aria-label="Result" data-testid="job" :data-state="job ? job.state : 'none'">
      <p v-if="problem" class="notice bad" role="alert" data-testid="problem">{{ problem }}</p>
      <template v-if="job && isOn">
        <p role="status"><b>{{ job.state === "waiting" ? "Waiting" : "Working" }}</b>: <span data-testid="step">{{ job.step }}</span> <span class="muted">{{ Math.round(job.seconds) }} s</span></p>
        <div class="bar endless" role="progressbar" aria-label="Working"><i></i></div>
        <div class="buttons"><button class="btn" data-testid="cancel" @click="cancel">Cancel</button></div>
      </template>
      <p v-if="job && job.state === 'cancelled'" class="notice" role="status" data-testid="cancelled">Cancelled after {{ Math.round(job.seconds) }} s. Nothing was kept.</p>
      <p v-if="job && job.state === 'failed'" class="notice bad" role="alert" data-testid="error"><b>This did not work.</b> {{ job.error }}</p>
      <template v-if="job && job.outcome">
        <p class="verdict" role="status"><span v-if="job.outcome.passed !== null" class="badge" :class="job.outcome.passed ? 'good' : 'bad'" data-testid="verdict">{{ job.outcome.passed ? "Passed" : "Not passed" }}</span><span>{{ job.outcome.verdict }}</span></p>
        <div class="buttons"><a v-for="file in job.outcome.files" :key="file.name" class="btn primary" :href="'/api/jobs/' + job.id + '/files/' + encodeURIComponent(file.name)" :download="file.name" :data-testid="'file-' + ending(file.name)"><span aria-hidden="true">↓</span> {{ file.label }}</a></div>
        <dl><template v-for="fact in job.outcome.facts" :key="fact.name"><dt>{{ fact.name }}</dt><dd>{{ fact.value }}</dd></template></dl>
        <div v-for="table in filled" :key="table.title" class="table-box" tabindex="0" role="region" :aria-label="table.title || 'Figures'">
          <table><caption v-if="table.title">{{ table.title }}</caption>
            <thead><tr><th v-for="(head, i) in table.heads" :key="i" scope="col" :class="{ number: isNumber(table, i) }">{{ head }}</th></tr></thead>
            <tbody><tr v-for="(row, i) in table.rows" :key="i"><td v-for="(cell, k) in row" :key="k" :class="{ number: isNumber(table, k) }">{{ cell === null ? "–" : cell }}</td></tr></tbody></table>
        </div>
        <details v-if="job.outcome.notes.length" class="more"><summary>Notes ({{ job.outcome.notes.length }})</summary><ul class="notes"><li v-for="(note, i) in job.outcome.notes" :key="i">{{ note }}</li></ul></details>
      </template>
    </section>`,
  data: () => ({ job: null, problem: "" }),
  computed: {
    isOn() {
      return this.job.state === "running" || this.job.state === "waiting";
    },
    filled() {
      return this.job.outcome.tables.filter((table) => table.rows.length);
    },
  },
  async mounted() {
    try {
      this.job = (await ask("GET", "/api/jobs")).find((job) => this.kinds.includes(job.kind)) || null;
    } catch (problem) {
      this.complain(problem.message);
    }
    this.poll();
  },
  unmounted() {
    clearTimeout(this.timer);
  },
  methods: {
    isNumber(table, column) {
      const cells = table.rows.map((row) => row[column]).filter((cell) => cell !== null && cell !== "");
      return cells.length > 0 && cells.every((cell) => !Number.isNaN(Number(cell)));
    },
    ending: (name) => name.split(".").pop(),
    complain(text) {
      this.problem = text;
    },
    async start(order) {
      this.problem = "";
      try {
        this.job = await ask("POST", "/api/jobs", order);
      } catch (problem) {
        this.complain(problem.message);
      }
      this.$nextTick(() => this.$el.scrollIntoView?.({ block: "nearest" }));
    },
    async poll() {
      if (this.job && this.isOn) {
        const asked = this.job.id;
        try {
          const job = await ask("GET", `/api/jobs/${asked}`);
          if (this.job.id === asked) this.job = job;
        } catch (problem) {
          this.complain(problem.message);
        }
      }
      this.timer = setTimeout(() => this.poll(), PERIOD_MS);
    },
    async cancel() {
      try {
        this.job = await ask("POST", `/api/jobs/${this.job.id}/cancel`);
      } catch (problem) {
        this.complain(problem.message);
      }
    },
  },
};
