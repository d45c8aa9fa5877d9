// Smooth motion between states that arrive less often than pictures are drawn.

/** Follows link poses: each new set is reached after the time between the last two arrivals. */
export class PoseFollower {
  private from: Float64Array;
  private to: Float64Array;
  private readonly now: Float64Array;
  private began = 0;
  private span = 0;
  private seen = false;

  constructor(private readonly rows: number, private readonly longest = 100) {
    this.from = new Float64Array(7 * rows);
    this.to = new Float64Array(7 * rows);
    this.now = new Float64Array(7 * rows);
  }

  /** Takes new poses at a time [ms]; they are shown at once where `jump`. */
  set(poses: ArrayLike<number>, time: number, jump = false): void {
    const wait = time - this.began;
    this.from.set(this.at(time));
    this.to.set(Array.from(poses).slice(0, 7 * this.rows));
    if (jump || !this.seen) this.from.set(this.to);
    this.span = jump || !this.seen ? 0 : Math.min(wait, this.longest);
    this.began = time;
    this.seen = true;
  }

  /** Returns the poses at a time [ms]: positions and quaternions between the two last sets. */
  at(time: number): Float64Array {
    const share = this.span > 0 ? Math.min((time - this.began) / this.span, 1) : 1;
    for (let row = 0; row < this.rows; row += 1) this.blend(7 * row, share);
    return this.now;
  }

  moving(time: number): boolean {
    return this.span > 0 && time - this.began < this.span;
  }

  private blend(at: number, share: number): void {
    const { from, to, now } = this;
    for (let k = at; k < at + 3; k += 1) now[k] = from[k]! + (to[k]! - from[k]!) * share;
    let dot = 0;
    for (let k = at + 3; k < at + 7; k += 1) dot += from[k]! * to[k]!;
    const sign = dot < 0 ? -1 : 1;
    let size = 0;
    for (let k = at + 3; k < at + 7; k += 1) {
      now[k] = from[k]! + (sign * to[k]! - from[k]!) * share;
      size += now[k]! ** 2;
    }
    const scale = size > 0 ? 1 / Math.sqrt(size) : 0;
    for (let k = at + 3; k < at + 7; k += 1) now[k] = now[k]! * scale;
  }
}
