// Samples of the last minutes in memory of fixed size: every sample of the newest minute, and the
// smallest and largest of each half second for as long as is kept.

export const FINE_SECONDS = 62;
export const COARSE_SECONDS = 1805;
const FINE_RATE = 60; // somewhat more than the stream's 50 a second
const BUCKET = 0.5;
const GAP = 0.5; // a longer silence is drawn as a gap [s]

class Ring {
  constructor(series, capacity) {
    this.capacity = capacity;
    this.time = new Float64Array(capacity);
    this.values = Array.from({ length: series }, () => new Float32Array(capacity));
    this.clear();
  }

  clear() {
    this.head = 0;
    this.count = 0;
  }

  push(time, row) {
    const place = this.head;
    this.time[place] = time;
    for (let k = 0; k < this.values.length; k++) this.values[k][place] = row[k];
    this.head = (place + 1) % this.capacity;
    if (this.count < this.capacity) this.count++;
  }

  at(index) {
    return (this.head - this.count + index + this.capacity) % this.capacity;
  }

  // The first index whose time is not before `time`.
  find(time) {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[this.at(middle)] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export class LiveBuffer {
  constructor(series) {
    this.series = series;
    this.fine = new Ring(series, FINE_SECONDS * FINE_RATE);
    this.coarse = new Ring(series, (2 * COARSE_SECONDS) / BUCKET);
    this.low = new Float32Array(series);
    this.high = new Float32Array(series);
    this.clear();
  }

  clear() {
    this.fine.clear();
    this.coarse.clear();
    this.last = -Infinity;
    this.bucket = null;
    this.seen = new Uint8Array(this.series);
  }

  // Takes a row of `series` numbers (NaN where unknown); returns false for one that is not newer.
  push(time, row) {
    if (!(time > this.last)) return false;
    if (time - this.last > GAP && this.fine.count) this.interrupt(this.last + 1e-3);
    this.last = time;
    for (let k = 0; k < row.length; k++) if (row[k] === row[k]) this.seen[k] = 1;
    this.fine.push(time, row);
    this.collect(time, row);
    return true;
  }

  interrupt(time) {
    const gap = new Float32Array(this.series).fill(NaN);
    this.flush();
    this.fine.push(time, gap);
    this.coarse.push(time, gap);
  }

  collect(time, row) {
    const number = Math.floor(time / BUCKET);
    if (number !== this.bucket) {
      this.flush();
      this.bucket = number;
      this.low.set(row);
      this.high.set(row);
      return;
    }
    for (let k = 0; k < row.length; k++) {
      if (!(row[k] >= this.low[k])) this.low[k] = row[k];
      if (!(row[k] <= this.high[k])) this.high[k] = row[k];
    }
  }

  flush() {
    if (this.bucket === null) return;
    this.coarse.push((this.bucket + 0.25) * BUCKET, this.low);
    this.coarse.push((this.bucket + 0.75) * BUCKET, this.high);
    this.bucket = null;
  }

  // Fills `out` ([times, values of the first wanted series, ...], plain arrays that are used again
  // and again) with what lies between two times; unknown values become null.
  view(from, to, wanted, out) {
    const ring = to - from <= FINE_SECONDS - 1 ? this.fine : this.coarse;
    const first = Math.max(0, ring.find(from) - 1);
    let last = ring.find(to);
    if (last < ring.count) last++;
    const size = last - first;
    for (const column of out) column.length = size;
    for (let row = 0; row < size; row++) {
      const place = ring.at(first + row);
      out[0][row] = ring.time[place];
      for (let k = 0; k < wanted.length; k++) {
        const value = ring.values[wanted[k]][place];
        out[k + 1][row] = value === value ? value : null;
      }
    }
    return out;
  }
}
