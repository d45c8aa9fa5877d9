// Zoom, pan and cursor of a uPlot chart, for charts of recordings and live ones alike.
//
// Drag: zoom to a range. Wheel: zoom at the pointer; with shift, or sideways: pan. Shift or middle button and drag: pan.
// One finger: pan; two: zoom. Keys + and -: zoom; arrows: pan, where nothing else uses them. Double click, Escape: all.
import type uPlot from "uplot";
import { dragged, panned, zoomed } from "./range";
import type { Range } from "./types";

const WHEEL = 0.002;
const LINE_PX = 16;
const KEY_ZOOM = 0.7;
const KEY_PAN = 0.1;
/** A finger that has moved less than this is a tap [px]. */
const TAP = 6;
const MIN_SELECTION = 4;
const HELP = "Plus and minus zoom, Escape shows everything.";
const HELP_ARROWS = "Plus and minus zoom, arrows move, Escape goes back.";

export interface Navigated {
  /** The range that is drawn. */
  readonly view: () => Range;
  /** Everything that can be drawn. */
  readonly limits: () => Range;
  /** Called with the wanted range; null for everything. */
  readonly onrange: (range: Range | null) => void;
  /** Called with the time below the cursor; null when it leaves. */
  readonly onhover: (time: number | null) => void;
  /** Called when a button or finger goes down and up: a chart that runs should stand meanwhile. */
  readonly onhold?: (held: boolean) => void;
  /** Whether arrow keys pan. */
  readonly arrows?: boolean;
}

/** Returns the cursor and hooks of a chart that is navigated; charts with the same key share their cursor. */
export function navigation(key: string, to: Navigated): { cursor: uPlot.Cursor; hooks: uPlot.Hooks.Arrays } {
  const shared = (type: string): boolean => type === "mousemove" || type === "mouseleave";
  return {
    cursor: {
      y: false, points: { size: 6 }, drag: { x: true, y: false, setScale: false },
      sync: { key, setSeries: false, filters: { pub: shared, sub: shared } },
      bind: {
        mousedown: (_, __, select) => (event) => (event.button === 0 && !event.shiftKey ? select(event) : null),
        dblclick: () => () => {
          to.onrange(null);
          return null;
        },
      },
    },
    hooks: {
      ready: [(chart) => attach(chart, to)],
      setSelect: [(chart) => select(chart, to)],
      setCursor: [(chart) => to.onhover((chart.cursor.left ?? -1) >= 0 ? chart.posToVal(chart.cursor.left!, "x") : null)],
    },
  };
}

function select(chart: uPlot, to: Navigated): void {
  const { left, width } = chart.select;
  if (width < MIN_SELECTION) return;
  const range = { from: chart.posToVal(left, "x"), to: chart.posToVal(left + width, "x") };
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  to.onrange(range);
}

/** Listens on the chart's own element, which is gone with the chart. */
function attach(chart: uPlot, to: Navigated): void {
  const area = chart.over;
  area.tabIndex = 0;
  area.setAttribute("role", "group");
  area.setAttribute("aria-label", to.arrows ? HELP_ARROWS : HELP);
  area.style.touchAction = "pan-y";
  area.addEventListener("wheel", (event) => wheel(event, chart, to), { passive: false });
  area.addEventListener("keydown", (event) => press(event, chart, to));
  const pointers = new Pointers(area, to);
  area.addEventListener("pointerdown", (event) => pointers.down(event));
  area.addEventListener("pointermove", (event) => pointers.move(event));
}

function wheel(event: WheelEvent, chart: uPlot, to: Navigated): void {
  // A notebook around the chart scrolls with the wheel; a pinch on a touchpad comes with ctrl.
  if (chart.over.closest(".embedded") && !event.ctrlKey) return;
  const unit = event.deltaMode === 0 ? 1 : LINE_PX;
  const [aside, ahead] = [event.deltaX * unit, event.deltaY * unit];
  const view = to.view();
  const sideways = event.shiftKey ? aside || ahead : Math.abs(aside) > Math.abs(ahead) ? aside : 0;
  event.preventDefault();
  if (sideways) to.onrange(panned(view, (sideways / chart.over.clientWidth) * (view.to - view.from), to.limits()));
  else if (ahead) to.onrange(zoomed(view, chart.posToVal(event.clientX - chart.rect.left, "x"), Math.exp(WHEEL * ahead), to.limits()));
}

function press(event: KeyboardEvent, chart: uPlot, to: Navigated): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const [view, limits, left] = [to.view(), to.limits(), chart.cursor.left ?? -1];
  const at = left >= 0 ? chart.posToVal(left, "x") : (view.from + view.to) / 2;
  const step = KEY_PAN * (view.to - view.from);
  const wanted = {
    "+": () => zoomed(view, at, KEY_ZOOM, limits), "=": () => zoomed(view, at, KEY_ZOOM, limits), "-": () => zoomed(view, at, 1 / KEY_ZOOM, limits),
    Escape: () => null,
    ...(to.arrows ? { ArrowLeft: () => panned(view, -step, limits), ArrowRight: () => panned(view, step, limits) } : {}),
  }[event.key];
  if (!wanted) return;
  event.preventDefault();
  to.onrange(wanted());
}

/** Fingers on a chart, and a mouse that pans. */
class Pointers {
  private readonly places = new Map<number, number>();
  private moved = false;
  private pans = false;

  constructor(
    private readonly area: HTMLElement,
    private readonly to: Navigated,
  ) {}

  down(event: PointerEvent): void {
    const touch = event.pointerType === "touch";
    if (!this.places.size) {
      [this.moved, this.pans] = [!touch, touch || event.shiftKey || event.button === 1];
      this.watch();
    }
    this.places.set(event.pointerId, event.clientX);
    if (this.pans && event.isTrusted) this.area.setPointerCapture(event.pointerId);
    if (event.button === 1) event.preventDefault();
  }

  /** Waits until all pointers are up, wherever that is. */
  private watch(): void {
    const over = new AbortController();
    const up = (event: PointerEvent): void => {
      this.places.delete(event.pointerId);
      if (this.places.size) return;
      over.abort();
      this.to.onhold?.(false);
    };
    addEventListener("pointerup", up, { signal: over.signal });
    addEventListener("pointercancel", up, { signal: over.signal });
    this.to.onhold?.(true);
  }

  move(event: PointerEvent): void {
    const was = this.places.get(event.pointerId);
    if (was === undefined || !this.pans) return;
    if (!this.moved && this.places.size < 2 && Math.abs(event.clientX - was) < TAP) return;
    this.moved = true;
    const before = this.shares();
    this.places.set(event.pointerId, event.clientX);
    this.to.onrange(dragged(this.to.view(), before, this.shares(), this.to.limits()));
  }

  private shares(): number[] {
    const { left, width } = this.area.getBoundingClientRect();
    return [...this.places.values()].map((x) => (x - left) / Math.max(width, 1));
  }
}
