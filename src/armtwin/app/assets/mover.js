// Motion that lasts only while somebody wants it: messages again and again, none once it ends.
import { stream } from "/assets/stream.js";

const PERIOD_MS = 50;

export class Mover {
  // `message()` returns what to send next, or null when there is nothing left to do.
  constructor() {
    this.timer = 0;
    this.end = this.end.bind(this);
    addEventListener("blur", this.end);
    addEventListener("armtwin-stop", this.end);
    document.addEventListener("visibilitychange", this.end);
    this.offs = [stream.on("error", this.end), stream.on("link", (connected) => connected || this.end())];
  }

  get busy() {
    return this.timer !== 0;
  }

  // A press has a number: a press from before somebody's stop does not move the arm again,
  // however long its messages were held up. A slider that is dragged has none.
  begin(message, pressed = true) {
    this.end();
    const press = pressed ? Date.now() : null;
    const next = () => {
      const content = message();
      if (content === null || !stream.send({ ...content, press })) this.end();
    };
    this.timer = setInterval(next, PERIOD_MS);
    next();
  }

  end() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  close() {
    this.end();
    this.offs.forEach((off) => off());
    removeEventListener("blur", this.end);
    removeEventListener("armtwin-stop", this.end);
    document.removeEventListener("visibilitychange", this.end);
  }
}

// What makes an element act only while it is pressed: pointer, or Space and Enter.
export function holding(begin, end) {
  let held = false;
  const on = (event) => {
    if (event.button) return;
    event.preventDefault();
    if (held) return;
    held = true;
    if (event.pointerId !== undefined) event.target.setPointerCapture?.(event.pointerId);
    event.currentTarget?.focus?.();
    begin();
  };
  const off = () => {
    if (!held) return;
    held = false;
    end();
  };
  const isKey = (event) => event.key === " " || event.key === "Enter";
  return {
    pointerdown: on,
    pointerup: off,
    pointercancel: off,
    lostpointercapture: off,
    blur: off,
    contextmenu: (event) => event.preventDefault(),
    keydown: (event) => isKey(event) && on(event),
    keyup: (event) => isKey(event) && off(),
  };
}
