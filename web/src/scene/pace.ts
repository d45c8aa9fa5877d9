// Leaves the processor to others where pictures are drawn in software: coarse ones while something moves, and seldom enough.
// At rest follow the shadow and a fine picture, one after the other; on a slow or busy machine a less fine one.
import type { WebGLRenderer } from "three";

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software/i;
/** Resolution of a coarse picture in device pixels per CSS pixel. */
const COARSE = 0.5;
/** Likewise while a person drags: pictures that follow the hand are worth more than sharp ones. */
const DRAGGED = 0.35;
type Stage = "coarse" | "shadow" | "fine";
/** A better picture follows after this time without another [ms]. */
const REST_MS = { coarse: 600, shadow: 100 };
/** Longest pause after a picture [ms]. */
const LONGEST_MS = 1000;
/** Share of the time that may be spent on drawing, unless a person waits for it. */
const SHARE = 0.3;
/** How long a person waits for pictures after an input [ms]: then they follow each other at once. */
const WAITED_MS = 1000;
/** How long a picture of what is dragged waits for the arm that follows it [ms]: one slow picture for both, not two. */
const FOLLOWED_MS = 70;
/** How long a fine picture may take [ms], as far as the last coarse one foretells it. */
const FINE_MS = 1000;

/** Returns whether a renderer draws without a GPU. */
export function isSoftware(renderer: WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const named = gl.getExtension("WEBGL_debug_renderer_info");
  return SOFTWARE.test(String(gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER)));
}

/** Returns the resolution of a fine picture after one of a resolution that took some time [ms]; effort grows with its pixels. */
export function fineRatio(finest: number, ratio: number, took: number): number {
  return Math.max(Math.min(finest, ratio * Math.sqrt(FINE_MS / Math.max(took, 1))), COARSE);
}

export class Pace {
  readonly software: boolean;
  private fine: number;
  private fence: WebGLSync | null = null;
  private began = 0;
  /** Time that the last picture took [ms]. */
  private took = 0;
  private ratio: number;
  private next = 0;
  private waitedUntil = 0;
  private resting = 0;
  private dragging = 0;
  private stage: Stage = "coarse";
  private following: Stage = "coarse";

  constructor(
    private readonly renderer: WebGLRenderer,
    private readonly simple: boolean,
    private readonly redraw: () => void,
  ) {
    this.software = isSoftware(renderer);
    this.fine = this.ratio = renderer.getPixelRatio();
  }

  /** Sets the resolution of fine pictures in device pixels per CSS pixel. */
  setFine(ratio: number): void {
    if (ratio === this.fine) return;
    this.fine = ratio;
    this.use(this.software && !this.simple ? COARSE : ratio);
  }

  /** Whether a picture may be drawn at a time [ms]; false while the last one is drawn, and some time after. */
  due(now: number): boolean {
    if (!this.software) return true;
    if (this.fence) this.look(now, this.fence);
    return this.fence === null && now >= this.next;
  }

  /** Draws without pauses for a while: a person drags or turns something. */
  hurry(now: number): void {
    this.waitedUntil = now + WAITED_MS;
    this.next = Math.min(this.next, now);
  }

  /** Asks for a picture of what a person drags: in software a little later, unless another one shows it before. */
  dragged(): void {
    if (!this.software) this.redraw();
    else this.dragging ||= self.setTimeout(() => this.redraw(), FOLLOWED_MS);
  }

  /** Prepares a picture; returns whether it is a coarse one, as all are until nothing is drawn for a while. */
  begin(): boolean {
    clearTimeout(this.dragging);
    this.dragging = 0;
    if (!this.software || this.simple) return false;
    clearTimeout(this.resting);
    this.stage = this.following;
    this.following = "coarse";
    this.set();
    return this.stage !== "fine";
  }

  private refine(): void {
    this.following = this.stage === "coarse" ? "shadow" : "fine";
    this.redraw();
  }

  /** Notes that a picture is being drawn; nothing waits for it here. */
  end(began: number): void {
    if (!this.software) return;
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.began = began;
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (this.stage !== "fine" && !this.simple) this.resting = self.setTimeout(() => this.refine(), REST_MS[this.stage]);
  }

  /** Looks whether the picture is drawn, and plans the next one. */
  private look(now: number, fence: WebGLSync): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) return;
    gl.deleteSync(fence);
    this.fence = null;
    this.took = now - this.began;
    this.next = now + (now < this.waitedUntil ? 0 : Math.min(this.took * (1 / SHARE - 1), LONGEST_MS));
  }

  dispose(): void {
    clearTimeout(this.resting);
    clearTimeout(this.dragging);
  }

  private set(): void {
    const { shadowMap } = this.renderer;
    shadowMap.autoUpdate = false;
    shadowMap.needsUpdate = this.stage === "shadow";
    const coarse = performance.now() < this.waitedUntil ? DRAGGED : COARSE;
    this.use(this.stage === "fine" ? fineRatio(this.fine, this.ratio, this.took) : coarse);
  }

  private use(ratio: number): void {
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
  }
}
