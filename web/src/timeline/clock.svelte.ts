// One clock for whatever plays: recording time, program time or live time.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10] as const;

export class Clock {
  /** Time shown [s]. */
  time = $state(0);
  playing = $state(false);
  speed = $state(1);
  start = $state(0);
  end = $state(0);
  private last = 0;
  private frame = 0;

  setRange(start: number, end: number): void {
    this.start = start;
    this.end = Math.max(start, end);
    this.seek(this.time);
  }

  /** Shows a time, held within the range. */
  seek(time: number): void {
    this.time = Math.min(Math.max(Number.isFinite(time) ? time : this.start, this.start), this.end);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.playing || this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.frame);
  }

  /** Moves on to a time of the page's clock [ms]; stops at the end. */
  tick(now: number): void {
    if (!this.playing) return;
    this.seek(this.time + (Math.max(now - this.last, 0) / 1000) * this.speed);
    this.last = now;
    if (this.time >= this.end) this.pause();
    else this.frame = requestAnimationFrame((next) => this.tick(next));
  }
}

/** Returns the number of the last sample at or before a time; times increase. */
export function sampleAt(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

/** Returns the nearest sample to a time. */
export function nearestSample(times: ArrayLike<number>, time: number): number {
  const before = sampleAt(times, time);
  const after = Math.min(before + 1, times.length - 1);
  return Math.abs(times[after]! - time) < Math.abs(time - times[before]!) ? after : before;
}

/** Returns the time after a key press, or null for a key that means nothing here. */
export function keyTime(key: string, shift: boolean, time: number, times: ArrayLike<number>): number | null {
  const now = nearestSample(times, time);
  const step = shift ? 0.1 : 0;
  if (key === "ArrowRight") return step ? time + step : (times[Math.min(now + 1, times.length - 1)] ?? time);
  if (key === "ArrowLeft") return step ? time - step : (times[Math.max(now - 1, 0)] ?? time);
  return null;
}
