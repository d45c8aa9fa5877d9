// The one connection of a page to the app's stream: state in, heartbeats and requests out.
// Import it by this address everywhere ("/assets/stream.js"), so that a page has it once.

const BEAT_MS = 500;
const SILENCE_MS = 1500;
const CONNECT_MS = 3000;
const FIRST_RETRY_MS = 300;
const LAST_RETRY_MS = 3000;
const STOP_MS = 3000; // the app itself needs up to 1 s to find out that a robot does not answer
const NO_WORD_MS = 700; // after this a stop without an answer is shown as one
const LOST = ["lost", "connecting"];
const NOT_DELIVERED = "NOT DELIVERED, use the robot's own stop";

function clientId() {
  // The tab's own id: it stays from page to page, and the pages' Python knows it as client.tab_id.
  return sessionStorage.__nicegui_tab_id || (crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2) + "xxxxxxxx");
}

function deviceName() {
  const words = navigator.userAgent;
  if (/iPhone|Android.*Mobile/.test(words)) return "phone";
  if (/iPad|Android/.test(words)) return "tablet";
  return "computer";
}

class Stream {
  constructor() {
    const types = ["hello", "state", "preview", "error", "link", "stopped", "stop"];
    this.listeners = Object.fromEntries(types.map((type) => [type, new Set()]));
    this.connected = false;
    this.hello = null;
    this.state = null;
    this.retry = FIRST_RETRY_MS;
    this.open();
    setInterval(() => this.beat(), BEAT_MS);
    addEventListener("offline", () => this.lose());
  }

  // Calls `handle` with every message of a type ("hello", "state", "preview", "error", "stopped"),
  // with true and false as the connection comes and goes ("link"), or with why a stop was not
  // delivered, "" when it was ("stop"). Returns what ends it.
  on(type, handle) {
    this.listeners[type].add(handle);
    if (type === "hello" && this.hello) handle(this.hello);
    if (type === "state" && this.state) handle(this.state);
    if (type === "link") handle(this.connected);
    return () => this.listeners[type].delete(handle);
  }

  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  // Shows that somebody is here; a connection that brings nothing any more is given up.
  beat() {
    this.send({ type: "beat" });
    const silent = performance.now() - this.heard;
    const dead = this.connected ? silent > SILENCE_MS : this.socket.readyState === WebSocket.CONNECTING && silent > CONNECT_MS;
    if (dead) this.lose();
  }

  // Stops the arm twice: over the stream, and by a request in case the stream is dead.
  // Informs the "stop" listeners whether the robot got it.
  stop() {
    const number = (this.stops = (this.stops || 0) + 1);
    let delivered = false;
    const report = (trouble) => {
      delivered ||= trouble === "";
      if (number === this.stops) this.tell("stop", delivered ? "" : trouble);
    };
    const end = this.on("stopped", () => report(""));
    setTimeout(end, STOP_MS);
    this.send({ type: "stop" });
    dispatchEvent(new CustomEvent("armtwin-stop"));
    if (!this.connected) report(`${NOT_DELIVERED}: no connection to the app.`);
    const silent = setTimeout(() => report(`${NOT_DELIVERED}: no answer so far.`), NO_WORD_MS);
    this.askToStop().then((trouble) => {
      clearTimeout(silent);
      report(trouble);
    });
  }

  // Returns "" when a request of its own stopped the arm, else why it did not.
  async askToStop() {
    try {
      const options = { method: "POST", keepalive: true, signal: AbortSignal.timeout(STOP_MS) };
      const answer = await fetch("/api/stop", options);
      if (answer.ok) return "";
      const { error = `the app answered ${answer.status}` } = await answer.json().catch(() => ({}));
      return error.startsWith(NOT_DELIVERED) ? error : `${NOT_DELIVERED}: ${error}`;
    } catch {
      return `${NOT_DELIVERED}: no connection to the app.`;
    }
  }

  // Whether the robot behind the app is not heard of; what is shown of it is old then.
  get lost() {
    return !this.connected || !this.state || LOST.includes(this.state.status);
  }

  get mine() {
    return Boolean(this.state && this.hello && this.state.lease.holder === this.hello.you);
  }

  open() {
    this.heard = performance.now();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const query = new URLSearchParams({ client: clientId(), name: deviceName() });
    this.socket = new WebSocket(`${scheme}://${location.host}/api/stream?${query}`);
    this.socket.onopen = () => {
      this.retry = FIRST_RETRY_MS;
      this.heard = performance.now();
      this.link(true);
      this.send({ type: "beat" });
    };
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = () => this.lose();
  }

  // Gives a connection up, without waiting for its other end, and tries anew after a while.
  lose() {
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.link(false);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.open(), this.retry);
    this.retry = Math.min(this.retry * 2, LAST_RETRY_MS);
  }

  link(connected) {
    this.connected = connected;
    if (!connected) this.state = null;
    this.tell("link", connected);
  }

  hear(message) {
    this.heard = performance.now();
    if (message.type === "hello") this.meet(message);
    if (message.type === "state") this.state = message;
    this.tell(message.type, message);
  }

  meet(hello) {
    const other = this.hello && (this.hello.title !== hello.title || this.hello.kind !== hello.kind);
    this.hello = hello;
    if (other) location.reload();
  }

  tell(type, message) {
    for (const handle of this.listeners[type] || []) handle(message);
  }
}

export const stream = new Stream();
