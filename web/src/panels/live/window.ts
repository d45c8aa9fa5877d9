import type { Range } from "../../charts/types";

/** The window of some seconds that ends now; at the beginning it fills from the left. */
export function windowUpTo(now: number, seconds: number): Range {
  const from = Math.max(0, now - seconds);
  return { from, to: from + seconds };
}
