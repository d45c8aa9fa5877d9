/** The page's one connection to the app: state in, heartbeats and requests out. */
import type { ErrorMessage, Hello, Incoming, Outgoing, Preview, RobotState, Stopped } from "./messages";

const HEARTBEAT_MS = 500;
const SILENCE_MS = 1500;
const CONNECT_MS = 3000;
const FIRST_RETRY_MS = 300;
const LAST_RETRY_MS = 3000;
/** The app itself needs up to 1 s to find out that a robot does not answer. */
const STOP_MS = 3000;
/** Time after which a stop without an answer is reported. */
const NO_WORD_MS = 700;
const LOST = ["lost", "connecting"];
export const NOT_DELIVERED = "NOT DELIVERED, use the robot's own stop";
const CLIENT_KEY = "armtwin_client";

interface Events {
  hello: Hello;
  state: RobotState;
  preview: Preview;
  error: ErrorMessage;
  stopped: Stopped;
  /** Whether the app is connected. */
  link: boolean;
  /** Why a stop was not delivered; "" when it was. */
  stop: string;
  /** A stop was pressed on this page. */
  pressed: null;
}

type Listener<K extends keyof Events> = (event: Events[K]) => void;

/** The id of this tab; it survives a reload, and so does control of the arm. */
export function clientId(): string {
  let id = sessionStorage.getItem(CLIENT_KEY);
  if (!id) {
    id = crypto.randomUUID?.() ?? `${Math.random()}`.slice(2).padEnd(16, "x");
    sessionStorage.setItem(CLIENT_KEY, id);
  }
  return id;
}

function deviceName(): string {
  const words = navigator.userAgent;
  if (/iPhone|Android.*Mobile/.test(words)) return "phone";
  return /iPad|Android/.test(words) ? "tablet" : "computer";
}

export class Stream {
  connected = false;
  hello: Hello | null = null;
  state: RobotState | null = null;
  private socket!: WebSocket;
  private heard = 0;
  private retry = FIRST_RETRY_MS;
  private waiting = 0;
  private stops = 0;
  private listeners: { [K in keyof Events]?: Set<Listener<K>> } = {};

  constructor() {
    this.open();
    setInterval(() => this.heartbeat(), HEARTBEAT_MS);
    addEventListener("offline", () => this.lose());
  }

  /** Calls `handle` with the current value, then with every event of a type; returns the function that ends it. */
  on<K extends keyof Events>(type: K, handle: Listener<K>): () => void {
    const known = (this.listeners[type] ??= new Set() as never) as Set<Listener<K>>;
    known.add(handle);
    if (type === "hello" && this.hello) (handle as Listener<"hello">)(this.hello);
    if (type === "state" && this.state) (handle as Listener<"state">)(this.state);
    if (type === "link") (handle as Listener<"link">)(this.connected);
    return () => known.delete(handle);
  }

  send(message: Outgoing): boolean {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Stops the arm over the stream first, and also by an HTTP request in case the stream is dead. */
  stop(): void {
    this.send({ type: "stop" });
    const requested = requestStop();
    const number = ++this.stops;
    let delivered = false;
    const report = (trouble: string) => {
      delivered ||= trouble === "";
      if (number === this.stops) this.tell("stop", delivered ? "" : trouble);
    };
    const end = this.on("stopped", () => report(""));
    setTimeout(end, STOP_MS);
    this.tell("pressed", null);
    if (!this.connected) report(`${NOT_DELIVERED}: no connection to the app.`);
    const silent = setTimeout(() => report(`${NOT_DELIVERED}: no answer so far.`), NO_WORD_MS);
    void requested.then((trouble) => {
      clearTimeout(silent);
      report(trouble);
    });
  }

  /** Whether the robot does not respond; the state shown is then out of date. */
  get lost(): boolean {
    return !this.connected || !this.state || LOST.includes(this.state.status);
  }

  get mine(): boolean {
    return Boolean(this.state && this.hello && this.state.lease.holder === this.hello.you);
  }

  /** Sends a heartbeat; closes a connection that has been silent for too long. */
  private heartbeat(): void {
    this.send({ type: "heartbeat" });
    const silent = performance.now() - this.heard;
    const opening = this.socket.readyState === WebSocket.CONNECTING && silent > CONNECT_MS;
    if (this.connected ? silent > SILENCE_MS : opening) this.lose();
  }

  private open(): void {
    this.heard = performance.now();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const query = new URLSearchParams({ client: clientId(), name: deviceName() });
    const socket = (this.socket = new WebSocket(`${scheme}://${location.host}/api/stream?${query}`));
    socket.onopen = () => {
      this.retry = FIRST_RETRY_MS;
      this.heard = performance.now();
      this.link(true);
      this.send({ type: "heartbeat" });
    };
    socket.onmessage = (event) => this.hear(JSON.parse(event.data) as Incoming);
    socket.onclose = () => this.lose();
  }

  /** Closes the connection without waiting for the other end, and reconnects after a delay. */
  private lose(): void {
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.link(false);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.open(), this.retry) as unknown as number;
    this.retry = Math.min(this.retry * 2, LAST_RETRY_MS);
  }

  private link(connected: boolean): void {
    this.connected = connected;
    if (!connected) this.state = null;
    this.tell("link", connected);
  }

  private hear(message: Incoming): void {
    this.heard = performance.now();
    if (message.type === "hello") this.hello = message;
    if (message.type === "state") this.state = message;
    this.tell(message.type, message as never);
  }

  private tell<K extends keyof Events>(type: K, event: Events[K]): void {
    for (const handle of this.listeners[type] ?? []) (handle as Listener<K>)(event);
  }
}

/** Stops the arm by a separate HTTP request; returns "", or the reason why it failed. */
async function requestStop(): Promise<string> {
  try {
    const signal = AbortSignal.timeout(STOP_MS);
    const answer = await fetch("/api/stop", { method: "POST", keepalive: true, signal });
    if (answer.ok) return "";
    const content = (await answer.json().catch(() => ({}))) as { error?: string };
    const error = content.error ?? `the app answered ${answer.status}`;
    return error.startsWith(NOT_DELIVERED) ? error : `${NOT_DELIVERED}: ${error}`;
  } catch {
    return `${NOT_DELIVERED}: no connection to the app.`;
  }
}

export const stream = new Stream();
