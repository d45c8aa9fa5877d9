/** The robot as components see it: the newest message of each kind, and who has control. */
import type { Alarm, Hello, Live, RobotState } from "./messages";
import { request } from "./requests";
import { stream } from "./stream";

const MAX_ALARMS = 200;

class Robot {
  hello = $state.raw<Hello | null>(null);
  state = $state.raw<RobotState | null>(null);
  /** What the robot can do and its recordings, see `refresh`. */
  live = $state.raw<Live | null>(null);
  alarms = $state.raw<Alarm[]>([]);
  connected = $state(false);
  lost = $state(true);
  mine = $state(false);
  holder = $state<string | null>(null);
  waiting = $state.raw<string[]>([]);
  /** Why the last stop was not delivered, or "". */
  undelivered = $state("");
  private sign = "";

  constructor() {
    stream.on("link", (connected) => {
      this.connected = connected;
      if (!connected) [this.lost, this.mine] = [true, false];
    });
    stream.on("stop", (trouble) => (this.undelivered = trouble));
    stream.on("hello", (hello) => this.meet(hello));
    stream.on("state", (state) => this.show(state));
  }

  /** Reads what the robot can do, its alarms and recordings. */
  async refresh(): Promise<Live | null> {
    const live = await request<Live>("GET", "/api/live").catch(() => null);
    if (live) {
      this.live = live;
      this.take(live.alarms);
    }
    return live;
  }

  private meet(hello: Hello): void {
    const other = this.hello && (this.hello.title !== hello.title || this.hello.kind !== hello.kind);
    if (other) this.forget();
    this.hello = hello;
    void this.refresh();
  }

  private show(state: RobotState): void {
    if (this.state && state.t < this.state.t - 1) this.forget();
    this.state = state;
    this.lost = stream.lost;
    this.mine = stream.mine;
    this.holder = state.lease.holder;
    if (state.lease.waiting.join() !== this.waiting.join()) this.waiting = state.lease.waiting;
    this.take(state.alarms);
  }

  private forget(): void {
    [this.alarms, this.sign] = [[], ""];
  }

  /** Takes alarms, newest last; those that grow or end are replaced. */
  private take(alarms: Alarm[]): void {
    const last = alarms[alarms.length - 1];
    const sign = last ? `${alarms.length} ${last.time} ${last.end} ${last.torque} ${last.joint}` : "";
    if (sign === this.sign) return;
    this.sign = sign;
    const known = new Map(this.alarms.map((alarm) => [`${alarm.time} ${alarm.joint}`, alarm]));
    for (const alarm of alarms) known.set(`${alarm.time} ${alarm.joint}`, alarm);
    this.alarms = [...known.values()].sort((a, b) => a.time - b.time).slice(-MAX_ALARMS);
  }
}

export const robot = new Robot();
