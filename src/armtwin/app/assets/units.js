// Numbers as people want them: metres or millimetres, degrees or radians; kept by the browser.

const SIZES = { m: 1, mm: 0.001, rad: 1, deg: Math.PI / 180 };
const DIGITS = { m: 4, mm: 1, rad: 4, deg: 2 };
const NAMES = { m: "m", mm: "mm", rad: "rad", deg: "°" };

export function keptUnits() {
  return {
    length: localStorage.armtwin_length === "m" ? "m" : "mm",
    angle: localStorage.armtwin_angle === "rad" ? "rad" : "deg",
  };
}

export function keepUnits(units) {
  localStorage.armtwin_length = units.length;
  localStorage.armtwin_angle = units.angle;
}

// The unit of a joint or of a pose's entry (0-2 are lengths, 3-5 angles).
export const unitOfJoint = (units, joint) => (joint.kind === "prismatic" ? units.length : units.angle);
export const unitOfAxis = (units, axis) => (axis < 3 ? units.length : units.angle);

export const shown = (value, unit) => {
  const text = (value / SIZES[unit]).toFixed(DIGITS[unit]);
  return Number(text) === 0 ? text.replace("-", "") : text;
};
export const meant = (text, unit) => Number(String(text).replace(",", ".")) * SIZES[unit];
export const nameOf = (unit) => NAMES[unit];
