// Numbers for people: units with prefixes and sensible digits. The Python side is report/numbers.py.

const SMALL: readonly (readonly [number, string])[] = [[1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]];
/** Below it a number is written as zero: it comes of rounding. */
const SHOWN_AS_ZERO = 5e-10;
/** A thousandth of the smallest prefix; below it a number with a unit is written as zero. */
const SMALLEST = 1e-12;
const PREFIXED = new Set(["m", "s", "A", "W", "N", "Nm"]);

/** Returns a number with three significant digits and its unit, with a prefix where it is small: 0.62 um. */
export function withUnit(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "no value";
  if (unit === "rad") return `${digits((value * 180) / Math.PI)} deg`;
  if (unit === "1") return Math.abs(value) < 1e-3 && value !== 0 ? `${digits(value * 1e6)} ppm` : digits(value);
  const size = Math.abs(value);
  if (!PREFIXED.has(unit) || size < SMALLEST) return `${digits(value)} ${unit}`;
  const [factor, prefix] = SMALL.find(([at]) => size >= at * 0.9995) ?? SMALL[SMALL.length - 1]!;
  if (unit === "m" && factor === 1 && size < 10) return `${digits(value * 1e3)} mm`;
  return `${digits(value / factor)} ${prefix}${unit}`;
}

/** Returns a number with three significant digits, without an exponent. */
export function digits(value: number, count = 3): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) < SHOWN_AS_ZERO) return "0";
  const whole = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.min(Math.max(count - whole, 0), 9));
}

/** Returns the decimals with which values up to `top` have three or four digits. */
export function decimalsFor(top: number): number {
  if (!(top > 0) || !Number.isFinite(top)) return 2;
  return Math.min(Math.max(3 - Math.ceil(Math.log10(top)), 0), 6) + (top >= 100 && top < 1000 ? 1 : 0);
}

/** Minutes and seconds of a time [s], with the decimals that a step [s] needs. */
export function clockText(t: number, step = 1): string {
  let decimals = 0;
  while (decimals < 3 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals += 1;
  const unit = 10 ** decimals;
  const whole = Math.max(0, Math.round(t * unit));
  const seconds = ((whole % (60 * unit)) / unit).toFixed(decimals);
  return `${Math.floor(whole / (60 * unit))}:${seconds.padStart(decimals ? decimals + 3 : 2, "0")}`;
}
