// Decimation for drawing: the smallest and the largest value of every bucket are kept, so that peaks survive.

export interface Decimated {
  readonly time: Float64Array;
  readonly lines: readonly Float64Array[];
  /** Samples that each drawn pair stands for; 1 where nothing was left out. */
  readonly factor: number;
}

/** Returns the samples from `first` to `last` (included), at most two for each of `buckets`. */
export function decimate(time: Float64Array, lines: readonly Float64Array[], first: number, last: number, buckets: number): Decimated {
  const count = last - first + 1;
  if (count <= 2 * buckets) {
    return { time: time.subarray(first, last + 1), lines: lines.map((line) => line.subarray(first, last + 1)), factor: 1 };
  }
  const kept = new Float64Array(2 * buckets);
  const found = lines.map(() => new Float64Array(2 * buckets));
  for (let k = 0; k < buckets; k += 1) {
    const from = first + Math.floor((k * count) / buckets);
    const to = first + Math.floor(((k + 1) * count) / buckets);
    kept[2 * k] = time[from]!;
    kept[2 * k + 1] = time[to - 1]!;
    lines.forEach((line, n) => extremes(line, from, to, found[n]!, 2 * k));
  }
  return { time: kept, lines: found, factor: count / buckets };
}

// Writes the smallest and the largest value in the order in which they occur.
function extremes(line: Float64Array, from: number, to: number, into: Float64Array, at: number): void {
  let [low, high] = [from, from];
  for (let k = from + 1; k < to; k += 1) {
    const value = line[k]!;
    if (!(value >= line[low]!)) low = k;
    if (!(value <= line[high]!)) high = k;
  }
  into[at] = line[Math.min(low, high)]!;
  into[at + 1] = line[Math.max(low, high)]!;
}
