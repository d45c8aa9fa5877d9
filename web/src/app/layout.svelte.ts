/** How the page is divided: desk, phone upright or phone on its side; sizes are kept. */

const DESK = 1000;
const WIDTH = "armtwin_inspector";
const NARROWEST = 320;
/** Heights of a phone's sheet: only its tabs, over the lower half, over everything but the header. */
export type Stop = "peek" | "half" | "full";

class Layout {
  width = $state(innerWidth);
  height = $state(innerHeight);
  inspector = $state(Number(localStorage.getItem(WIDTH)) || 400);
  stop = $state<Stop>("half");
  charts = $state(localStorage.getItem("armtwin_dock") === "open");

  constructor() {
    addEventListener("resize", () => ([this.width, this.height] = [innerWidth, innerHeight]));
  }

  get desk(): boolean {
    return this.width >= DESK;
  }

  get landscape(): boolean {
    return !this.desk && this.width > this.height;
  }

  /** The inspector's width on a desk [px]. */
  get side(): number {
    return Math.min(Math.max(this.inspector, NARROWEST), this.width - 480);
  }

  resize(width: number): void {
    this.inspector = Math.round(Math.min(Math.max(width, NARROWEST), this.width - 480));
    localStorage.setItem(WIDTH, String(this.inspector));
  }

  openCharts(open: boolean): void {
    this.charts = open;
    localStorage.setItem("armtwin_dock", open ? "open" : "");
  }
}

export const layout = new Layout();
