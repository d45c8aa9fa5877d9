// Pointers and wheel over a canvas, passed on to a worker that draws it.

const TYPES = ["pointerdown", "pointermove", "pointerup", "pointercancel", "wheel", "contextmenu", "dblclick"] as const;
const FIELDS = [
  "type", "pointerId", "pointerType", "clientX", "clientY", "pageX", "pageY", "button", "buttons", "deltaX", "deltaY", "deltaMode", "ctrlKey", "metaKey", "shiftKey",
] as const;

export type PassedEvent = { readonly type: (typeof TYPES)[number] } & Readonly<Record<string, unknown>>;
/** Where the canvas lies in the page [CSS pixels]. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Passes the canvas's events on; a pressed pointer keeps sending from outside of it. */
export function passEvents(canvas: HTMLCanvasElement, send: (event: PassedEvent, box: Box) => void): void {
  const pass = (event: Event): void => {
    if (event.type === "wheel" || event.type === "contextmenu") event.preventDefault();
    if (event.type === "pointerdown") canvas.setPointerCapture((event as PointerEvent).pointerId);
    const own = event as unknown as Record<string, unknown>;
    const { left, top, width, height } = canvas.getBoundingClientRect();
    send(Object.fromEntries(FIELDS.map((name) => [name, own[name]])) as PassedEvent, { left, top, width, height });
  };
  for (const type of TYPES) canvas.addEventListener(type, pass, { passive: false });
  canvas.style.touchAction = "none";
}

/** Inputs after which a person watches the picture, wherever in the page they are made. */
const WATCHED = ["pointerdown", "pointermove", "wheel", "keydown", "input"] as const;
/** Shortest time between two calls [ms]. */
const APART_MS = 200;

/** Calls back when a person presses, drags, scrolls or types in the page; returns what ends it. */
export function watchInputs(call: () => void): () => void {
  let last = -Infinity;
  const note = (event: Event): void => {
    const passing = event.type === "pointermove" && !(event as PointerEvent).buttons;
    if (passing || event.timeStamp - last < APART_MS) return;
    last = event.timeStamp;
    call();
  };
  for (const type of WATCHED) addEventListener(type, note, { capture: true, passive: true });
  return () => {
    for (const type of WATCHED) removeEventListener(type, note, { capture: true });
  };
}
