/** The program being taught, as the app holds it, and what can be done with it. */
import { motion } from "../../app/motion.svelte";
import type { Position, Program, Progress, Teach, PlannedPath } from "../../robot/messages";
import { request, haveControl, message } from "../../robot/requests";
import { clientId } from "../../robot/stream";

const QUICK_MS = 150;
const CALM_MS = 600;
const MESSAGE_MS = 8000;
const MAX_STEPS = 100;

class Teaching {
  program = $state.raw<Program>({ name: "", arm: "", positions: [] });
  progress = $state.raw<Progress>({ mode: "idle", index: null, round: 0, loop: false, text: "", error: "", arrived: false });
  hints = $state.raw<string[]>([]);
  opened = $state(-1);
  loop = $state(false);
  message = $state("");
  isBad = $state(false);
  /** Which part a narrow page shows. */
  part = $state("Move");
  /** Programs before this page's edits, newest last, and those that were undone. */
  past = $state.raw<Program[]>([]);
  future = $state.raw<Program[]>([]);
  private revision = -1;
  private line: Promise<unknown> = Promise.resolve();
  private timer = 0;
  private fading = 0;
  private watchers = 0;

  get rows(): Position[] {
    return this.program.positions;
  }

  get running(): boolean {
    return this.progress.mode === "running";
  }

  get statusText(): string {
    const { mode, text, round, loop } = this.progress;
    return mode === "idle" ? text : `${text}${loop && round ? `, round ${round + 1}` : ""}`;
  }

  /** Keeps the program up to date until the returned function is called. */
  watch(): () => void {
    if (this.watchers++ === 0) void this.poll();
    return () => {
      this.watchers--;
      clearTimeout(this.timer);
      motion.preview(null);
    };
  }

  open(i: number): void {
    this.opened = this.opened === i ? -1 : i;
    void this.preview();
  }

  async add(): Promise<void> {
    const added = await this.edit(() => request("POST", "/api/teach/positions", { client: clientId() }));
    if (added) this.say(`Saved ${this.rows.at(-1)?.name}.`);
  }

  change(i: number, fields: object): Promise<boolean> {
    return this.edit(() => request("PUT", `/api/teach/positions/${i}`, { client: clientId(), revision: this.revision, ...fields }));
  }

  async move(i: number, to: number): Promise<void> {
    const content = () => ({ client: clientId(), revision: this.revision, to });
    if (await this.edit(() => request("POST", `/api/teach/positions/${i}/move`, content()))) this.opened = to;
  }

  async remove(i: number): Promise<void> {
    const content = () => ({ client: clientId(), revision: this.revision });
    if (!(await this.edit(() => request("POST", `/api/teach/positions/${i}/delete`, content())))) return;
    this.opened = -1;
    motion.preview(null);
  }

  rename(name: string): Promise<boolean> {
    return this.edit(() => request("PUT", "/api/teach/name", { client: clientId(), name }));
  }

  /** Replaces the program; `work` requests it from the app. */
  put(work: () => Promise<Teach>): Promise<boolean> {
    this.opened = -1;
    return this.edit(work);
  }

  replace(program: Program): Promise<boolean> {
    return this.put(() => request("PUT", "/api/teach/program", { client: clientId(), program }));
  }

  async undo(): Promise<void> {
    const before = this.past.at(-1);
    if (!before) return;
    const [past, future] = [this.past.slice(0, -1), [...this.future, this.program]];
    if (await this.replace(before)) [this.past, this.future] = [past, future];
  }

  async redo(): Promise<void> {
    const next = this.future.at(-1);
    if (!next) return;
    const [past, future] = [[...this.past, this.program], this.future.slice(0, -1)];
    if (await this.replace(next)) [this.past, this.future] = [past, future];
  }

  run(): Promise<boolean> {
    return this.progress.mode === "paused" ? this.moving("resume") : this.moving("run", { loop: this.loop });
  }

  moving(what: string, more: object = {}): Promise<boolean> {
    [this.message, this.part] = ["", "Positions"];
    return this.act(async () => {
      await haveControl();
      return request("POST", `/api/teach/${what}`, { client: clientId(), ...more });
    });
  }

  post(what: string): Promise<boolean> {
    return this.acted(() => request("POST", `/api/teach/${what}`));
  }

  say(text: string): void {
    this.show(text, false);
  }

  complain(text: string): void {
    this.show(text, true);
  }

  private async edit(work: () => Promise<unknown>): Promise<boolean> {
    const before = this.program;
    const done = await this.act(work);
    if (done) [this.past, this.future] = [[...this.past, before].slice(-MAX_STEPS), []];
    return done;
  }

  /** One after the other: each edit names the revision that the one before made. */
  private act(work: () => Promise<unknown>): Promise<boolean> {
    const done = this.line.then(() => this.acted(work));
    this.line = done;
    return done;
  }

  private async acted(work: () => Promise<unknown>): Promise<boolean> {
    try {
      const answer = (await work()) as Teach | null;
      this.take(answer?.progress ? answer : await request<Teach>("GET", "/api/teach"));
      return true;
    } catch (problem) {
      this.complain(message(problem));
      return false;
    }
  }

  private async poll(): Promise<void> {
    try {
      if (!document.hidden) this.take(await request<Teach>("GET", "/api/teach"));
    } catch {
      // The header shows that the connection is lost.
    }
    if (this.watchers) this.timer = setTimeout(() => this.poll(), this.running ? QUICK_MS : CALM_MS) as unknown as number;
  }

  private take(answer: Teach): void {
    const before = this.progress.error;
    if (answer.revision !== this.revision) {
      this.program = answer.program;
      void this.warn();
      if (this.opened >= 0) void this.preview();
    }
    [this.revision, this.progress] = [answer.revision, answer.progress];
    if (answer.progress.error && answer.progress.error !== before) this.complain(answer.progress.error);
  }

  /** Shows the opened position as the ghost, and the tool's path to it; a refused line has none, and the hints say why. */
  private async preview(): Promise<void> {
    const shown = this.opened;
    motion.preview(this.rows[shown]?.q ?? null);
    if (shown < 1 || !this.watchers) return;
    const path = await request<PlannedPath>("GET", `/api/teach/positions/${shown}/path`).catch(() => null);
    if (this.opened === shown && this.watchers) motion.shownPath = path?.points.flat() ?? [];
  }

  private async warn(): Promise<void> {
    this.hints = await request<string[]>("GET", "/api/teach/hints").catch(() => []);
  }

  private show(text: string, isBad: boolean): void {
    [this.message, this.isBad] = [text, isBad];
    clearTimeout(this.fading);
    this.fading = setTimeout(() => (this.message = ""), MESSAGE_MS) as unknown as number;
  }
}

export const teaching = new Teaching();
