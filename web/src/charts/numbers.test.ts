import { expect, test } from "vitest";
import { clockText, digits, withUnit } from "./numbers";

test("units get a prefix and three digits when values are small", () => {
  expect(withUnit(6.2e-7, "m")).toBe("620 nm");
  expect(withUnit(1.55e-16, "Nm")).toBe("0 Nm");
  expect(withUnit(2.604e-5, "m")).toBe("26.0 \u00b5m");
  expect(withUnit(0.0045, "m")).toBe("4.50 mm");
  expect(withUnit(1.2345, "m")).toBe("1235 mm");
  expect(withUnit(Math.PI / 4, "rad")).toBe("45.0 deg");
  expect(withUnit(12.44, "Nm")).toBe("12.4 Nm");
});

test("no exponent is written when a number is very small, zero or none", () => {
  expect(digits(1.5e-8)).toBe("0.000000015");
  expect(digits(0)).toBe("0");
  expect(withUnit(2e-16, "rad")).toBe("0 deg");
  expect(withUnit(Number.NaN, "m")).toBe("no value");
});

test("a time has the decimals of the step, and never sixty seconds", () => {
  expect([0, 59.6, 61.25].map((t) => clockText(t))).toEqual(["0:00", "1:00", "1:01"]);
  expect(clockText(61.25, 0.1)).toBe("1:01.3");
  expect(clockText(59.999, 0.02)).toBe("1:00.00");
  expect(clockText(3.5, 5)).toBe("0:04");
  expect(clockText(7.5, 2.5)).toBe("0:07.5");
});
