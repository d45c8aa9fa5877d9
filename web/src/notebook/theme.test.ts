import { expect, test } from "vitest";
import { isDark } from "./theme";

test("the notebook's theme counts where it says one", () => {
  expect(isDark({ dataset: { jpThemeLight: "false" } })).toBe(true);
  expect(isDark({ dataset: { jpThemeLight: "true" } })).toBe(false);
  expect(isDark({ dataset: { vscodeThemeKind: "vscode-dark" } })).toBe(true);
  expect(isDark({ dataset: { vscodeThemeKind: "vscode-high-contrast" } })).toBe(true);
  expect(isDark({ dataset: { vscodeThemeKind: "vscode-high-contrast-light" } })).toBe(false);
  expect(isDark({ dataset: {} })).toBe(null);
});
