/** Units of displayed numbers: metres or millimetres, degrees or radians; kept by the browser. */
import type { Joint } from "../robot/messages";

export type Unit = "m" | "mm" | "rad" | "deg";

const SIZES: Record<Unit, number> = { m: 1, mm: 0.001, rad: 1, deg: Math.PI / 180 };
const DIGITS: Record<Unit, number> = { m: 4, mm: 1, rad: 4, deg: 2 };
const NAMES: Record<Unit, string> = { m: "m", mm: "mm", rad: "rad", deg: "°" };

class Units {
  length = $state<"m" | "mm">(localStorage.getItem("armtwin_length") === "m" ? "m" : "mm");
  angle = $state<"rad" | "deg">(localStorage.getItem("armtwin_angle") === "rad" ? "rad" : "deg");

  toggleLength(): void {
    this.length = this.length === "m" ? "mm" : "m";
    localStorage.setItem("armtwin_length", this.length);
  }

  toggleAngle(): void {
    this.angle = this.angle === "deg" ? "rad" : "deg";
    localStorage.setItem("armtwin_angle", this.angle);
  }

  ofJoint(joint: Joint | undefined): Unit {
    return joint?.kind === "prismatic" ? this.length : this.angle;
  }

  /** The unit of a pose's entry: 0-2 are lengths, 3-5 angles. */
  ofAxis(axis: number): Unit {
    return axis < 3 ? this.length : this.angle;
  }
}

export const units = new Units();

export function shown(value: number, unit: Unit): string {
  const text = (value / SIZES[unit]).toFixed(DIGITS[unit]);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

export const meant = (text: string, unit: Unit): number => Number(text.replace(",", ".")) * SIZES[unit];
export const nameOf = (unit: Unit): string => NAMES[unit];
export const withUnit = (value: number, unit: Unit): string =>
  `${shown(value, unit)}${unit === "deg" ? "" : " "}${NAMES[unit]}`;

/** A number with as many digits as a person reads: 0.62, 12.4, 1250. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e5) return `${+(value / 1000).toPrecision(3)}k`;
  const text = value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
  const plain = text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  return Number(plain) === 0 ? "0" : plain;
}
