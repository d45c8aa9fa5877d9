// Which names of marks have room on a timeline, and in which of its two rows.

const CHARACTER = 6.2;
const PADDING = 10;
const LONGEST = 16;
const ROWS = 2;

export interface Label {
  /** Where the name begins, from the left of the timeline [px]. */
  readonly left: number;
  /** 0 is the lower row. */
  readonly row: number;
}

/** Returns where names stand that end at their marks, or begin there where the left is too near; null without room. */
export function labels(names: readonly string[], places: readonly number[], width: number): (Label | null)[] {
  const taken: number[] = Array(ROWS).fill(-Infinity);
  return names.map((name, k) => {
    const size = CHARACTER * Math.min([...name].length, LONGEST) + PADDING;
    const at = places[k]!;
    for (const left of [at - size, at]) {
      const row = taken.findIndex((end) => end <= left);
      if (left < 0 || left + size > width || row < 0) continue;
      taken[row] = left + size;
      return { left, row };
    }
    return null;
  });
}
