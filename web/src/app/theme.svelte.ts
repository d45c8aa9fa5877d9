/** Light or dark: as the system says, unless a person chose; kept by the browser. */
const KEPT = "armtwin_theme";

class Theme {
  dark = $state(false);
  private readonly system = matchMedia("(prefers-color-scheme: dark)");

  constructor() {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  toggle(): void {
    localStorage.setItem(KEPT, this.dark ? "light" : "dark");
    this.apply();
  }

  private apply(): void {
    const kept = localStorage.getItem(KEPT);
    this.dark = kept ? kept === "dark" : this.system.matches;
    document.documentElement.dataset["theme"] = this.dark ? "dark" : "light";
  }
}

export const theme = new Theme();
