// The charts of the Live page, and which of them a person wants.
import { keptUnits } from "/assets/units.js";

export function charts() {
  const radians = keptUnits().angle === "rad";
  const turn = radians ? 1 : Math.PI / 180;
  return [
    { key: "q", title: "Position", unit: radians ? "rad" : "°", scale: turn, least: 0.05 },
    { key: "qd", title: "Speed", unit: radians ? "rad/s" : "°/s", scale: turn, least: 0.05 },
    { key: "residual", title: "Torque residual", unit: "Nm", scale: 1, least: 1 },
    { key: "current", title: "Current", unit: "A", scale: 1, least: 0.1 },
    { key: "tau", title: "Torque", unit: "Nm", scale: 1, least: 1 },
    { key: "power", title: "Power", unit: "W", scale: 1, least: 10, single: true },
    { key: "energy", title: "Energy", unit: "J", scale: 1, least: 10, single: true },
  ];
}

// Which charts a person wants to see; a phone begins with two.
export function keptCharts() {
  const kept = (localStorage.armtwin_charts || "").split(",").filter(Boolean);
  if (kept.length) return kept;
  return innerWidth < 900 ? ["residual", "q"] : ["q", "qd", "residual", "current", "power", "energy"];
}
