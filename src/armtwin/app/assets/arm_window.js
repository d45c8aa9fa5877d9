// A small 3-D view of the arm, with a ghost where a position would be.
import { stream } from "/assets/stream.js";

const isDark = () => document.body.classList.contains("body--dark");

export default {
  props: ["ghost"],
  template: `
    <div class="window" aria-label="3-D view of the arm" role="img">
      <div ref="canvas" class="window-canvas"></div>
      <p v-if="flat" class="muted window-flat">This browser shows no 3-D (WebGL is off).</p>
    </div>`,
  data: () => ({ flat: false }),
  watch: {
    ghost(q) {
      if (q) stream.send({ type: "preview", q: [...q] });
      else this.scene?.showGhost(null);
    },
  },
  mounted() {
    this.scene = null;
    this.ends = [
      stream.on("hello", (hello) => this.meet(hello)),
      stream.on("state", (state) => this.scene?.show(state.links, state.pose.position)),
      stream.on("preview", (preview) => this.ghost && this.scene?.showGhost(preview.links)),
    ];
    this.shade = new MutationObserver(() => this.scene?.build(isDark()));
    this.shade.observe(document.body, { attributeFilter: ["class"] });
  },
  unmounted() {
    this.ends.forEach((end) => end());
    this.shade.disconnect();
    this.scene?.end();
  },
  methods: {
    async meet(hello) {
      try {
        const { ArmScene } = await import("/assets/arm_scene.js");
        this.scene?.end();
        this.scene = new ArmScene(this.$refs.canvas, hello.arm.geometry, isDark());
      } catch {
        this.flat = true;
      }
    },
  },
};
