// Forward dynamics: the arm under torques, step by step, by the equation that Python's `rollout` runs too.
// Types alone are imported, so that Node runs this file as it is.
import type { Arm } from "./runtime";

/** Length of a step [s], as in dynamics/rollout.py. */
export const STEP = 5e-4;

/** Writes the torques of the motors for a state; returns false where the simulation ends. */
export type Torques = (time: number, q: Float64Array, tau: Float64Array) => boolean;

export class Rollout {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  /** Simulated time [s]. */
  time = 0;
  private steps = 0;
  private readonly plant: ReturnType<Arm["bind"]>;
  private readonly length: number;

  /** Starts at joint positions and speeds; `plant` is the bound function `plant_step`. */
  constructor(plant: ReturnType<Arm["bind"]>, q: ArrayLike<number>, qd: ArrayLike<number>, length: number = STEP) {
    this.plant = plant;
    this.q = Float64Array.from(q);
    this.qd = Float64Array.from(qd);
    this.length = length;
  }

  /** Simulates up to a time [s]; returns false where the torques ended it, or the motion is not finite. */
  advance(until: number, torques: Torques): boolean {
    const count = Math.round(until / this.length);
    while (this.steps < count) {
      const { inputs } = this.plant;
      if (!torques(this.time, this.q, inputs["tau"]!)) return false;
      inputs["q"]!.set(this.q);
      inputs["qd"]!.set(this.qd);
      inputs["step"]![0] = this.length;
      this.plant.run();
      const { outputs } = this.plant;
      this.q.set(outputs["q_next"]!);
      this.qd.set(outputs["qd_next"]!);
      this.steps += 1;
      this.time = this.steps * this.length;
    }
    return this.qd.every(Number.isFinite);
  }
}
