// What a page shows and computes: the recording, the twin with changed numbers, the clock.
import { compare, isKept, valueOf, type Comparison, type Tables } from "../kernels/comparison";
import { loadArm } from "../kernels/runtime";
import { Twin } from "../kernels/twin";
import { Clock, sampleAt } from "../timeline/clock.svelte";
import { unpacked, unpackedTables } from "../arrays";
import { PageBranches } from "./branches.svelte";
import type { Content, SliderDescription } from "./content";
import { Simulation } from "./simulation.svelte";

export type Mode = "recording" | "free" | "simulation";

export class Session {
  readonly clock = new Clock();
  readonly simulation = new Simulation(this);
  readonly branches: PageBranches;
  /** Joint positions in free mode and while simulated [rad | m]. */
  q = $state.raw<Float64Array>(new Float64Array());
  mode = $state<Mode>("recording");
  /** The twin on the recorded joints, with the numbers of the sliders. */
  result = $state.raw<Comparison | null>(null);
  /** Values of the sliders, in their order. */
  values = $state<number[]>([]);
  /** Time of the newest computation [ms]. */
  spent = $state(0);
  private waiting = 0;

  private constructor(
    readonly content: Content,
    /** The arm as it was compared; it draws the recorded arm. */
    readonly arm: Twin,
    /** The arm with the numbers of the sliders; it draws the ghost. */
    readonly twin: Twin,
    readonly tables: Tables | null,
  ) {
    this.branches = new PageBranches(this);
    this.values = content.sliders.map((slider) => slider.value);
    content.sliders.forEach((slider) => this.arm.arm.set(this.numbers(slider, slider.value)));
    this.q = Float64Array.from(content.home);
    this.mode = tables ? "recording" : "free";
    if (tables) {
      const time = this.times;
      this.clock.setRange(time[0] ?? 0, time[time.length - 1] ?? 0);
    }
    this.compute();
  }

  static async open(content: Content): Promise<Session> {
    const module = await WebAssembly.compile(await unpacked(content.kernels.module));
    const manifest = content.kernels.manifest;
    const [arm, twin] = [new Twin(await loadArm(module, manifest)), new Twin(await loadArm(module, manifest))];
    const tables = content.recording ? await unpackedTables(content.recording.packed) : null;
    return new Session(content, arm, twin, tables);
  }

  get times(): Float64Array {
    return this.tables?.["time"]?.values ?? new Float64Array();
  }

  /** Joint positions at a time: recorded ones in a recording, else the own ones. */
  jointsAt(time: number): Float64Array {
    return this.mode === "recording" ? this.recordedAt(time) : this.q;
  }

  /** Recorded joint positions at a time, straight between samples. */
  recordedAt(time: number): Float64Array {
    return this.rowAt("q", time);
  }

  /** Joints of the ghost at a time: its own where it has a motion of its own, else those of the arm. */
  ghostAt(time: number): Float64Array {
    return this.mode === "recording" && this.tables?.["ghost.q"] ? this.rowAt("ghost.q", time) : this.jointsAt(time);
  }

  private rowAt(name: string, time: number): Float64Array {
    const table = this.tables?.[name];
    if (!table) return this.q;
    const [times, width] = [this.times, table.columns];
    const before = sampleAt(times, time);
    const after = Math.min(before + 1, times.length - 1);
    const span = times[after]! - times[before]!;
    const share = span > 0 ? Math.min(Math.max((time - times[before]!) / span, 0), 1) : 0;
    return Float64Array.from({ length: width }, (_, k) => {
      const [a, b] = [table.values[before * width + k]!, table.values[after * width + k]!];
      return Number.isFinite(a) && Number.isFinite(b) ? a + (b - a) * share : this.q[k]!;
    });
  }

  setSlider(index: number, value: number): void {
    this.values[index] = value;
    if (!this.waiting) this.waiting = requestAnimationFrame(() => this.compute());
  }

  resetSliders(): void {
    this.content.sliders.forEach((slider, k) => (this.values[k] = slider.value));
    this.compute();
  }

  get changed(): boolean {
    return this.content.sliders.some((slider, k) => slider.value !== this.values[k]);
  }

  /** Computes the twin and its figures with the numbers of the sliders. */
  compute(): void {
    this.waiting = 0;
    const began = performance.now();
    this.twin.arm.reset();
    this.content.sliders.forEach((slider, k) => this.twin.arm.set(this.numbers(slider, this.values[k]!)));
    this.twin.closedForm = !this.content.sliders.some((slider, k) => slider.value !== this.values[k] && slider.group !== "Payload" && slider.group !== "Friction");
    if (this.tables && this.content.recording) this.result = compare(this.twin, this.tables, this.content.recording.limits);
    this.spent = performance.now() - began;
  }

  private numbers(slider: SliderDescription, value: number): Record<string, number> {
    const known = this.twin.arm.manifest.parameters;
    return Object.fromEntries(
      slider.parameters.map((name) => {
        const own = known.find((parameter) => parameter.name === name)?.value ?? 0;
        return [name, slider.unit === "%" ? own * value : value];
      }),
    );
  }

  /** Limits beside the figures they are about. */
  get judged(): { name: string; value: number | null; limit: number; unit: string; figure: string; kept: boolean }[] {
    const table = this.result?.figures ?? [];
    return (this.content.recording?.limits ?? []).map((limit) => {
      const value = valueOf(table, limit);
      return { name: limit.signal, figure: limit.figure, value, limit: limit.value, unit: limit.figure === "r2" ? "1" : limit.unit, kept: isKept(limit, value) };
    });
  }

  get verdict(): "passed" | "failed" | "not judged" {
    const recording = this.content.recording;
    if (!recording || !recording.limits.length) return recording?.judged && !recording.passed ? "failed" : "not judged";
    return recording.failures.length || this.judged.some((limit) => !limit.kept) ? "failed" : "passed";
  }

  /** Largest difference of a figure to Python's, relative to the figure's limit of 1; for the untouched twin. */
  get deviation(): number {
    const expected = this.content.recording?.figures ?? [];
    const found = new Map((this.result?.figures ?? []).map((row) => [row.signal, row]));
    let worst = 0;
    for (const row of expected) {
      const own = found.get(row.signal);
      for (const name of ["mae", "rmse", "max", "p50", "p95", "p99", "bias", "r2"] as const) {
        const [a, b] = [row[name], own?.[name]];
        if (a === null) continue;
        worst = Math.max(worst, typeof b === "number" ? Math.abs(a - b) : Infinity);
      }
    }
    return worst;
  }
}
