// The Teach page: move, save the position, put positions in order, run them.
import ArmWindow from "/assets/arm_window.js";
import JogJoints from "/assets/jog_joints.js";
import TeachFiles from "/assets/teach_files.js";
import TeachRow from "/assets/teach_row.js";
import { ask, client, haveControl } from "/assets/ask.js";
import { stream } from "/assets/stream.js";

const QUICK_MS = 150;
const CALM_MS = 600;
const MESSAGE_MS = 8000;

export default {
  components: { ArmWindow, JogJoints, TeachFiles, TeachRow },
  template: `
    <div class="work teach">
      <ArmWindow :ghost="ghost" />
      <div class="teach-tabs buttons" role="group" aria-label="What to show">
        <button v-for="name in ['Move', 'Positions']" :key="name" class="btn" :class="{ on: tab === name }" :aria-pressed="tab === name" :data-testid="'tab-' + name" @click="tab = name">{{ name }}<span v-if="name === 'Positions'" class="muted">{{ rows.length }}</span></button>
      </div>
      <section class="panel teach-program" :class="{ folded: tab !== 'Positions' }" aria-label="Program">
        <div class="teach-title">
          <h1 class="page-title">Teach</h1>
          <input class="input" v-model="name" maxlength="80" aria-label="Name of the program" data-testid="program-name" @change="rename(name)">
        </div>
        <TeachFiles :program="program" @changed="take" @problem="complain" @said="say" />
        <p v-if="!rows.length" class="muted empty">No positions yet. Move the arm, then press <b>Save position</b>.</p>
        <ul v-if="hints.length" class="notice bad" role="status" aria-label="Before you run" data-testid="hints"><li v-for="(text, i) in hints" :key="i">{{ text }}</li></ul>
        <ol class="taught-list" data-testid="positions">
          <TeachRow v-for="(row, i) in rows" :key="i" :row="row" :index="i" :count="rows.length" :joints="joints" :busy="running"
                    :active="progress.mode !== 'idle' && progress.index === i" :opened="opened === i" @open="opened = opened === i ? -1 : i"
                    @change="change(i, $event)" @move="move(i, $event)" @remove="remove(i)" @go="go(i)" @again="change(i, { here: true })" />
        </ol>
      </section>
      <section v-if="canMove" data-robot class="panel teach-move" :class="{ folded: tab !== 'Move' }" aria-label="Move the arm">
        <p class="muted">Hold to move, let go to stop.</p>
        <JogJoints @problem="complain" />
      </section>
      <div class="runbar" role="group" aria-label="Run the program">
        <p v-if="message" class="notice" :class="{ bad: isBad }" :role="isBad ? 'alert' : 'status'" data-testid="message">{{ message }}</p>
        <p v-show="told" class="runtext" role="status" data-testid="progress">{{ told }}</p>
        <div class="runbuttons">
          <button class="btn primary" data-robot :disabled="running" data-testid="save-position" @click="add">Save position</button>
          <button v-if="running" class="btn" data-testid="pause" @click="post('pause')">Pause</button>
          <button v-else class="btn" data-robot :disabled="!rows.length || !canMove" data-testid="run" @click="run">{{ progress.mode === "paused" ? "Go on" : "Run" }}</button>
          <button class="btn" data-robot :disabled="running || !rows.length || !canMove" data-testid="step" @click="moving('step')">Step</button>
          <button class="btn" :aria-pressed="loop" :class="{ on: loop }" data-testid="loop" @click="loop = !loop">Loop</button>
          <button class="btn" :disabled="progress.mode === 'idle'" data-testid="end" @click="post('stop')">End</button>
        </div>
      </div>
    </div>`,
  data: () => ({
    program: { name: "", arm: "", positions: [] }, progress: { mode: "idle", index: null, text: "", error: "", round: 0 }, revision: -1,
    name: "", hints: [], joints: [], canMove: true, opened: -1, tab: "Move", loop: false, message: "", isBad: false,
  }),
  watch: {
    "program.name"(name) {
      this.name = name;
    },
  },
  computed: {
    rows() {
      return this.program.positions;
    },
    ghost() {
      return this.rows[this.opened]?.q || null;
    },
    running() {
      return this.progress.mode === "running";
    },
    told() {
      const { mode, text, round, loop } = this.progress;
      const rounds = loop && round ? `, round ${round + 1}` : "";
      return mode === "idle" ? text : `${text}${rounds}`;
    },
  },
  mounted() {
    this.ends = [
      stream.on("hello", (hello) => ([this.joints, this.canMove] = [hello.arm.joints, hello.can_move])),
      stream.on("error", (message) => this.complain(message.error)),
    ];
    this.poll();
  },
  unmounted() {
    this.ends.forEach((end) => end());
    clearTimeout(this.timer);
  },
  methods: {
    async poll() {
      try {
        if (!document.hidden) this.take(await ask("GET", "/api/teach"));
      } catch {
        this.quiet = true; // the header shows that the connection is lost
      }
      this.timer = setTimeout(() => this.poll(), this.running ? QUICK_MS : CALM_MS);
    },
    take(answer) {
      const before = this.progress;
      if (answer.revision !== this.revision) {
        this.program = answer.program;
        this.warn();
      }
      [this.revision, this.progress] = [answer.revision, answer.progress];
      if (answer.progress.error && answer.progress.error !== before.error) this.complain(answer.progress.error);
    },
    async warn() {
      try {
        this.hints = await ask("GET", "/api/teach/hints");
      } catch {
        this.hints = [];
      }
    },
    // One after the other: each edit names the revision that the one before made.
    act(work) {
      const done = (this.line || Promise.resolve()).then(() => this.acted(work));
      this.line = done;
      return done;
    },
    async acted(work) {
      try {
        const answer = await work();
        if (answer?.progress) this.take(answer);
        else this.take(await ask("GET", "/api/teach"));
        return true;
      } catch (problem) {
        this.complain(problem.message);
        return false;
      }
    },
    async add() {
      if (await this.act(() => ask("POST", "/api/teach/positions", { client: client() }))) this.say(`Saved ${this.rows[this.rows.length - 1].name}.`);
    },
    change(i, fields) {
      return this.act(() => ask("PUT", `/api/teach/positions/${i}`, { client: client(), revision: this.revision, ...fields }));
    },
    async move(i, to) {
      if (await this.act(() => ask("POST", `/api/teach/positions/${i}/move`, { client: client(), revision: this.revision, to }))) this.opened = to;
    },
    async remove(i) {
      if (await this.act(() => ask("POST", `/api/teach/positions/${i}/delete`, { client: client(), revision: this.revision }))) this.opened = -1;
    },
    rename(name) {
      return this.act(() => ask("PUT", "/api/teach/name", { client: client(), name }));
    },
    run() {
      return this.progress.mode === "paused" ? this.moving("resume") : this.moving("run", { loop: this.loop });
    },
    go(i) {
      return this.moving(`go/${i}`);
    },
    moving(what, more = {}) {
      [this.message, this.tab] = ["", "Positions"];
      return this.act(async () => {
        await haveControl();
        return ask("POST", `/api/teach/${what}`, { client: client(), ...more });
      });
    },
    post(what) {
      return this.acted(() => ask("POST", `/api/teach/${what}`));
    },
    say(text) {
      this.show(text, false);
    },
    complain(text) {
      this.show(text, true);
    },
    show(text, isBad) {
      [this.message, this.isBad] = [text, isBad];
      clearTimeout(this.fading);
      this.fading = setTimeout(() => (this.message = ""), MESSAGE_MS);
    },
  },
};
