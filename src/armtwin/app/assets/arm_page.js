// The Arm page: the view, the target, and the ways to move towards it.
import JointPanel from "/assets/joint_panel.js";
import PoseCard from "/assets/pose_card.js";
import ToolPanel from "/assets/tool_panel.js";
import { Mover, holding } from "/assets/mover.js";
import { stream } from "/assets/stream.js";
import { keepUnits, keptUnits } from "/assets/units.js";

const ARRIVED = 1e-5;
const PROBLEM_MS = 6000;

const apart = (a, b) => a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

export default {
  components: { JointPanel, PoseCard, ToolPanel },
  template: `
    <div class="arm-page">
      <section class="view" aria-label="3-D view of the arm">
        <div class="canvas" ref="canvas" data-testid="canvas"></div>
        <p v-if="flat" class="flat">This browser shows no 3-D (WebGL is off). All numbers and controls work.</p>
        <div class="view-tools" role="group" aria-label="What the view shows">
          <button v-for="(on, name) in wanted" :key="name" :aria-pressed="on" :class="{ on }" :data-testid="'show-' + name" @click="want(name)">{{ name }}</button>
          <button aria-label="Clear the path" @click="scene && scene.clearPath()">clear</button>
          <button aria-label="Reset the view" @click="scene && scene.home()">reset</button>
        </div>
        <div class="hints" role="status" aria-live="polite" data-testid="warnings">
          <p v-for="text in hints" :key="text">{{ text }}</p>
        </div>
        <p v-if="problem" class="problem" role="alert" data-testid="problem">{{ problem }}</p>
      </section>
      <div class="side">
        <PoseCard v-if="pose" :pose="pose" :status="status" :moving="moving" :units="units" @units="changeUnits" />
        <section class="panel controls" v-if="canMove" data-robot>
          <div class="tabs" role="tablist">
            <button v-for="name in ['Joints', 'Tool']" role="tab" :aria-selected="tab === name" :class="{ on: tab === name }" :data-testid="'tab-' + name" @click="tab = name">{{ name }}</button>
          </div>
          <p v-if="watching" class="muted note" data-testid="watching">{{ watching }}</p>
          <JointPanel v-if="tab === 'Joints' && joints.length" :joints="joints" :q="q" :target="target" :units="units" :disabled="blocked" @target="aim" />
          <ToolPanel v-if="tab === 'Tool' && pose" :pose="pose" :units="units" :disabled="blocked" :joints="joints" @jog="jog" @rest="mover.end()" @target="aim" @problem="complain" />
          <label class="speed">Speed
            <input type="range" min="5" max="100" step="5" v-model.number="percent" aria-label="Speed in percent of the arm's limits" data-testid="speed">
            <span>{{ percent }} %</span>
          </label>
          <label v-if="kind === 'simulated'" class="check"><input type="checkbox" v-model="follows" data-testid="follow"> The arm follows the target at once</label>
          <div v-if="!followsNow" class="row">
            <button class="go" :disabled="blocked || !away" data-testid="hold-to-move" v-on="hold">Hold to move</button>
            <button class="plain" :disabled="!away" @click="forget">Forget target</button>
          </div>
        </section>
        <section class="panel" v-else><p class="muted">This arm is only shown here; it cannot be moved.</p></section>
      </div>
    </div>`,
  data: () => ({
    joints: [], q: [], target: [], pose: null, kind: "", canMove: true, status: "", moving: false, hints: [],
    problem: "", flat: false, tab: "Joints", units: keptUnits(), percent: 50, follows: true, armed: false,
    holder: null, mine: false, lost: false, wanted: { frames: false, path: true, ghost: true },
  }),
  computed: {
    followsNow() {
      return this.kind === "simulated" && this.follows;
    },
    blocked() {
      return this.lost || (!this.mine && !(this.kind === "simulated" && !this.holder));
    },
    watching() {
      if (this.lost) return "Lost: nothing can be moved, and what is shown is old.";
      if (this.mine) return "";
      if (this.holder) return `${this.holder} has control; you are watching.`;
      return this.kind === "simulated" ? "" : "Take control (above) to move this arm.";
    },
    away() {
      return this.armed && apart(this.target, this.q) > ARRIVED;
    },
  },
  created() {
    this.scene = null;
    this.mover = new Mover();
    this.hold = holding(() => this.go(), () => this.rest());
  },
  async mounted() {
    this.ends = [
      stream.on("hello", (hello) => this.meet(hello)),
      stream.on("state", (state) => this.show(state)),
      stream.on("link", (connected) => connected || this.lose()),
      stream.on("preview", (preview) => this.scene?.showGhost(preview.links)),
      stream.on("error", (message) => this.complain(message.error)),
    ];
    this.onStop = () => this.forget();
    addEventListener("armtwin-stop", this.onStop);
    this.onDark = new MutationObserver(() => this.scene?.build(this.isDark()));
    this.onDark.observe(document.body, { attributeFilter: ["class"] });
  },
  unmounted() {
    this.ends.forEach((end) => end());
    this.mover.close();
    this.onDark.disconnect();
    removeEventListener("armtwin-stop", this.onStop);
    this.scene?.end();
  },
  methods: {
    isDark: () => document.body.classList.contains("body--dark"),
    async meet(hello) {
      [this.kind, this.canMove, this.joints] = [hello.kind, hello.can_move, hello.arm.joints];
      this.armed = false;
      try {
        const { ArmScene } = await import("/assets/arm_scene.js");
        this.scene?.end();
        this.scene = new ArmScene(this.$refs.canvas, hello.arm.geometry, this.isDark());
        Object.entries(this.wanted).forEach(([name, on]) => this.scene.want(name, on));
      } catch {
        this.flat = true;
      }
    },
    show(state) {
      this.scene?.show(state.links, state.pose.position);
      [this.q, this.pose, this.status, this.moving] = [state.q, state.pose, state.status, state.moving];
      [this.holder, this.mine, this.lost] = [state.lease.holder, stream.mine, stream.lost];
      const hints = state.warnings.map((warning) => warning.text);
      if (hints.join() !== this.hints.join()) this.hints = hints;
      if (this.armed && !this.mover.busy && this.followsNow && apart(this.target, this.q) <= ARRIVED) this.armed = false;
      if (!this.armed) this.target = state.q;
      if (!this.armed || this.followsNow) this.scene?.showGhost(state.target_links);
    },
    lose() {
      this.mover.end();
      [this.lost, this.mine, this.moving, this.status] = [true, false, false, "no connection"];
    },
    aim(target) {
      if (this.blocked) return;
      [this.target, this.armed] = [target, true];
      if (this.followsNow) this.go();
      else stream.send({ type: "preview", q: target });
    },
    go() {
      if (this.kind === "simulated") stream.send({ type: "take" });
      this.mover.begin(() => {
        if (!this.armed || apart(this.target, this.q) <= ARRIVED) return null;
        return { type: "follow", q: this.target, speed: this.percent / 100 };
      }, !this.followsNow);
    },
    jog(axis, sign, frame) {
      if (this.kind === "simulated") stream.send({ type: "take" });
      this.armed = false;
      this.mover.begin(() => ({ type: "jog", axis, sign, frame, speed: this.percent / 100 }));
    },
    rest() {
      this.mover.end();
      stream.send({ type: "rest" });
    },
    forget() {
      this.mover.end();
      this.armed = false;
      this.scene?.showGhost(null);
    },
    want(name) {
      this.wanted[name] = !this.wanted[name];
      this.scene?.want(name, this.wanted[name]);
    },
    changeUnits(units) {
      this.units = units;
      keepUnits(units);
    },
    complain(text) {
      this.problem = text;
      if (this.followsNow) this.forget();
      clearTimeout(this.fading);
      this.fading = setTimeout(() => (this.problem = ""), PROBLEM_MS);
    },
  },
};
