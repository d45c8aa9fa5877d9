/** Motion that lasts while a button is held: the message is repeated, and stops at the end. */
import type { Outgoing } from "./messages";
import { stream } from "./stream";

const PERIOD_MS = 50;

export class Mover {
  private timer = 0;
  private readonly offs: (() => void)[];

  constructor() {
    this.end = this.end.bind(this);
    addEventListener("blur", this.end);
    document.addEventListener("visibilitychange", this.end);
    this.offs = [
      stream.on("error", this.end),
      stream.on("pressed", this.end),
      stream.on("link", (connected) => connected || this.end()),
    ];
  }

  get busy(): boolean {
    return this.timer !== 0;
  }

  /**
   * Sends what `message` returns until it is null.
   *
   * A press has a number, when it began: a press from before somebody's stop does not move the arm
   * again, however long this page or its messages were held up.
   */
  begin(message: () => Outgoing | null, press = Date.now()): void {
    this.end();
    const next = () => {
      const content = message();
      if (content === null || !stream.send({ ...content, press } as Outgoing)) this.end();
    };
    this.timer = setInterval(next, PERIOD_MS) as unknown as number;
    next();
  }

  end(): void {
    clearInterval(this.timer);
    this.timer = 0;
  }

  close(): void {
    this.end();
    this.offs.forEach((off) => off());
    removeEventListener("blur", this.end);
    document.removeEventListener("visibilitychange", this.end);
  }
}

export interface Hold {
  begin: () => void;
  end: () => void;
}

/** A Svelte action: the element acts only while it is pressed, by pointer or by Space and Enter. */
export function hold(node: HTMLElement, actions: Hold) {
  let held = false;
  let current = actions;
  const on = (event: PointerEvent | KeyboardEvent) => {
    if ("button" in event && event.button) return;
    event.preventDefault();
    if (held) return;
    held = true;
    if ("pointerId" in event) node.setPointerCapture(event.pointerId);
    node.focus();
    current.begin();
  };
  const off = () => {
    if (!held) return;
    held = false;
    current.end();
  };
  const isKey = (event: KeyboardEvent) => event.key === " " || event.key === "Enter";
  const handlers: [string, (event: never) => void][] = [
    ["pointerdown", on],
    ["pointerup", off],
    ["pointercancel", off],
    ["lostpointercapture", off],
    ["blur", off],
    ["contextmenu", (event: Event) => event.preventDefault()],
    ["keydown", (event: KeyboardEvent) => isKey(event) && on(event)],
    ["keyup", (event: KeyboardEvent) => isKey(event) && off()],
  ];
  for (const [name, handle] of handlers) node.addEventListener(name, handle as EventListener);
  return {
    update(next: Hold) {
      current = next;
    },
    destroy() {
      off();
      for (const [name, handle] of handlers) node.removeEventListener(name, handle as EventListener);
    },
  };
}
