// Light or dark as the notebook is, which need not be as the system is.

/** Whether the notebook around is dark; null where it does not say, and the system's choice counts. */
export function isDark(body: { readonly dataset: Readonly<Record<string, string | undefined>> }): boolean | null {
  const [jupyter, code] = [body.dataset["jpThemeLight"], body.dataset["vscodeThemeKind"]];
  if (jupyter !== undefined) return jupyter === "false";
  return code === undefined ? null : code.includes("dark") || code === "vscode-high-contrast";
}

/** Follows the theme of JupyterLab or VS Code until the returned function is called. */
export function followTheme(): () => void {
  const follow = (): void => {
    const dark = isDark(document.body);
    if (dark !== null) document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  };
  follow();
  const watch = new MutationObserver(follow);
  watch.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  return () => watch.disconnect();
}
