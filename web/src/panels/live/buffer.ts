/**
 * Samples of the last minutes in memory of fixed size: every sample of the newest minute, and the
 * smallest and largest of each half second for as long as is kept.
 */

export const FINE_SECONDS = 62;
export const COARSE_SECONDS = 1805;
/** Somewhat more than the stream's 50 a second. */
const FINE_RATE = 60;
export const BUCKET = 0.5;
/** A longer silence is drawn as a gap [s]. */
const GAP = 0.5;

class Ring {
  readonly time: Float64Array;
  readonly values: Float32Array[];
  head = 0;
  count = 0;

  constructor(
    series: number,
    readonly capacity: number,
  ) {
    this.time = new Float64Array(capacity);
    this.values = Array.from({ length: series }, () => new Float32Array(capacity));
  }

  clear(): void {
    this.head = this.count = 0;
  }

  /** Takes over everything from a ring of the same size. */
  set(other: Ring): void {
    this.time.set(other.time);
    this.values.forEach((column, k) => column.set(other.values[k]!));
    [this.head, this.count] = [other.head, other.count];
  }

  /** Whether nothing has been dropped since a time. */
  covers(time: number): boolean {
    return this.count < this.capacity || this.time[this.at(0)]! <= time;
  }

  push(time: number, row: Float32Array): void {
    const place = this.head;
    this.time[place] = time;
    this.values.forEach((column, k) => (column[place] = row[k] ?? NaN));
    this.head = (place + 1) % this.capacity;
    if (this.count < this.capacity) this.count++;
  }

  at(index: number): number {
    return (this.head - this.count + index + this.capacity) % this.capacity;
  }

  /** The first index whose time is not before `time`. */
  find(time: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.time[this.at(middle)] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export class LiveBuffer {
  readonly fine: Ring;
  readonly coarse: Ring;
  last = -Infinity;
  seen: Uint8Array;
  private low: Float32Array;
  private high: Float32Array;
  private bucket: number | null = null;

  constructor(readonly series: number) {
    this.fine = new Ring(series, FINE_SECONDS * FINE_RATE);
    this.coarse = new Ring(series, (2 * COARSE_SECONDS) / BUCKET);
    this.low = new Float32Array(series);
    this.high = new Float32Array(series);
    this.seen = new Uint8Array(series);
  }

  clear(): void {
    this.fine.clear();
    this.coarse.clear();
    this.last = -Infinity;
    this.bucket = null;
    this.seen.fill(0);
  }

  /** Returns the buffer as it is now. */
  copy(): LiveBuffer {
    const made = new LiveBuffer(this.series);
    made.fine.set(this.fine);
    made.coarse.set(this.coarse);
    made.last = this.last;
    return made;
  }

  /** The time of the oldest value. */
  get first(): number {
    const ring = this.fine.covers(-Infinity) ? this.fine : this.coarse;
    return ring.count ? ring.time[ring.at(0)]! : 0;
  }

  /** Takes a row of `series` numbers (NaN where unknown); returns false for one that is not newer. */
  push(time: number, row: Float32Array): boolean {
    if (!(time > this.last)) return false;
    if (time - this.last > GAP && this.fine.count) this.interrupt(this.last + 1e-3);
    this.last = time;
    row.forEach((value, k) => {
      if (!Number.isNaN(value)) this.seen[k] = 1;
    });
    this.fine.push(time, row);
    this.collect(time, row);
    return true;
  }

  /**
   * Fills `out` ([times, values of the first wanted series, ...], plain arrays that are used again
   * and again) with what lies between two times; unknown values become null. Returns whether that is every sample.
   */
  view(from: number, to: number, wanted: number[], out: (number | null)[][]): boolean {
    const ring = this.fine.covers(from) ? this.fine : this.coarse;
    const first = Math.max(0, ring.find(from) - 1);
    const last = Math.min(ring.find(to) + 1, ring.count);
    for (const column of out) column.length = last - first;
    for (let row = 0; row < last - first; row++) {
      const place = ring.at(first + row);
      out[0]![row] = ring.time[place] ?? 0;
      wanted.forEach((series, k) => {
        const value = ring.values[series]![place] ?? NaN;
        out[k + 1]![row] = Number.isNaN(value) ? null : value;
      });
    }
    return ring === this.fine;
  }

  private interrupt(time: number): void {
    const gap = new Float32Array(this.series).fill(NaN);
    this.flush();
    this.fine.push(time, gap);
    this.coarse.push(time, gap);
  }

  private collect(time: number, row: Float32Array): void {
    const number = Math.floor(time / BUCKET);
    if (number !== this.bucket) {
      this.flush();
      this.bucket = number;
      this.low.set(row);
      this.high.set(row);
      return;
    }
    row.forEach((value, k) => {
      if (!(value >= this.low[k]!)) this.low[k] = value;
      if (!(value <= this.high[k]!)) this.high[k] = value;
    });
  }

  private flush(): void {
    if (this.bucket === null) return;
    this.coarse.push((this.bucket + 0.25) * BUCKET, this.low);
    this.coarse.push((this.bucket + 0.75) * BUCKET, this.high);
    this.bucket = null;
  }
}
