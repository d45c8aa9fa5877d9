// The one connection of a page to the app's stream: state in, heartbeats and wishes out.
// Import it by this address everywhere ("/assets/stream.js"), so that a page has it once.

const BEAT_MS = 500;
const SILENCE_MS = 1500;
const CONNECT_MS = 3000;
const FIRST_RETRY_MS = 300;
const LAST_RETRY_MS = 3000;

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
    this.listeners = { hello: new Set(), state: new Set(), preview: new Set(), error: new Set(), link: new Set() };
    this.connected = false;
    this.hello = null;
    this.state = null;
    this.retry = FIRST_RETRY_MS;
    this.open();
    setInterval(() => this.beat(), BEAT_MS);
    addEventListener("offline", () => this.lose());
  }

  // Calls `handle` with every message of a type ("hello", "state", "preview", "error"), or with
  // true and false as the connection comes and goes ("link"). Returns what ends it.
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

  // Stops the arm by both ways: the stream, and a request of its own should the stream be dead.
  stop() {
    this.send({ type: "stop" });
    dispatchEvent(new CustomEvent("armtwin-stop"));
    fetch("/api/stop", { method: "POST", keepalive: true }).catch(() => {});
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
