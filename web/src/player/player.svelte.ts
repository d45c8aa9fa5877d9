/** Plays one recording: opens it by a job, reads windows of it as the clock needs them. */
import { route } from "../app/routes.svelte";
import type { Range } from "../charts/types";
import type { Job } from "../robot/messages";
import { request, message } from "../robot/requests";
import { Clock, nearestSample } from "../timeline/clock.svelte";
import { readWindow, timesOf, type PlaybackInfo, type Window } from "./content";

const LOOK_MS = 150;
const BUCKETS = 1500;
const FRAMES = 1000;
/** Time that a window of poses lasts while it is played, in seconds of the page's clock. */
const AHEAD = 20;

/** Names of a recording's columns: a mapping's content, a bundled name or an upload's id. */
export type GivenMapping = object | string | null;

export interface Opened {
  readonly recording: string;
  readonly arm: string;
  readonly mapping: GivenMapping;
  readonly angles?: string | null;
  readonly run?: number | null;
}

class Player {
  readonly clock = new Clock();
  info = $state.raw<PlaybackInfo | null>(null);
  /** The whole recording, coarsely. */
  overview = $state.raw<Window | null>(null);
  /** Poses around the clock's time, close together. */
  near = $state.raw<Window | null>(null);
  /** What the charts are zoomed to. */
  zoomed = $state.raw<Window | null>(null);
  /** The arm that was recorded: "here", a name of the catalogue, or an upload's id. */
  arm = $state("here");
  step = $state("");
  problem = $state("");
  opened = $state.raw<Opened | null>(null);
  private job = "";
  private turn = 0;
  private reading = false;
  private zooming = false;
  private range: Range | null = null;

  /** The view that shows the recording; elsewhere the page shows the live arm. */
  home = $state("/recordings");

  get shown(): boolean {
    return this.info !== null && route.path === this.home;
  }

  async open(opened: Opened, home = "/recordings"): Promise<void> {
    this.close();
    this.home = home;
    const turn = this.turn;
    [this.opened, this.step] = [opened, "starting"];
    try {
      let job = await request<Job>("POST", "/api/jobs", { kind: "play", ...opened });
      while (turn === this.turn && !job.outcome && (job.state === "waiting" || job.state === "running")) {
        await new Promise((done) => setTimeout(done, LOOK_MS));
        job = await request<Job>("GET", `/api/jobs/${job.id}`);
        this.step = job.step;
      }
      if (turn !== this.turn) return;
      if (!job.outcome) throw new Error(job.error || `The job was ${job.state}.`);
      await this.show(job, opened.arm);
      await this.mark(job, turn);
    } catch (problem) {
      if (turn === this.turn) this.problem = message(problem);
    }
    if (turn === this.turn) this.step = "";
  }

  /** Plays what a job that is done has prepared. */
  async openJob(job: Job, home: string): Promise<void> {
    this.close();
    [this.home, this.opened] = [home, null];
    const turn = this.turn;
    try {
      await this.show(job, job.parameters.arm);
    } catch (problem) {
      if (turn === this.turn) this.problem = message(problem);
    }
  }

  close(): void {
    this.turn += 1;
    this.clock.pause();
    [this.info, this.overview, this.near, this.zoomed] = [null, null, null, null];
    [this.problem, this.step, this.job, this.range] = ["", "", "", null];
  }

  private async show(job: Job, arm: string): Promise<void> {
    const info = await request<PlaybackInfo>("GET", `/api/jobs/${job.id}/playback`);
    const overview = await readWindow(job.id, { from: 0, to: info.end, buckets: BUCKETS, frames: FRAMES });
    [this.job, this.arm] = [job.id, arm];
    this.clock.time = 0;
    this.clock.setRange(0, info.end);
    [this.overview, this.info] = [overview, info];
  }

  /** Takes contacts once they are detected. */
  private async mark(job: Job, turn: number): Promise<void> {
    let now = job;
    while (turn === this.turn && now.state === "running") {
      this.step = now.step;
      await new Promise((done) => setTimeout(done, 4 * LOOK_MS));
      now = await request<Job>("GET", `/api/jobs/${job.id}`);
    }
    if (turn === this.turn) this.info = await request<PlaybackInfo>("GET", `/api/jobs/${job.id}/playback`);
  }

  /** Returns the poses nearest to a time: the close ones where they are here, else coarse ones. */
  framesAt(time: number): { frames: Window["frames"]; row: number } | null {
    const near = this.near;
    const window = near && time >= near.from && time <= near.to ? near : this.overview;
    if (!window) return null;
    return { frames: window.frames, row: nearestSample(timesOf(window.frames), time) };
  }

  /** Reads poses close together around a time, unless they are here for a while to come. */
  async approach(time: number): Promise<void> {
    const span = AHEAD * this.clock.speed;
    const { near, info } = this;
    if (this.reading || !info) return;
    const fits = near && near.to - near.from <= 2.5 * span;
    const enough = near && (near.to >= info.end || time < near.to - (this.clock.playing ? span / 4 : 0));
    if (fits && enough && time >= near.from) return;
    this.reading = true;
    const turn = this.turn;
    try {
      const from = Math.max(time - span / 4, 0);
      const found = await readWindow(this.job, { from, to: Math.min(from + span, info.end), buckets: 1, frames: FRAMES });
      if (turn === this.turn) this.near = found;
    } catch (problem) {
      if (turn === this.turn) this.problem = message(problem);
    }
    this.reading = false;
    const there = this.near;
    // Somebody may have gone elsewhere meanwhile.
    if (there && turn === this.turn && (this.clock.time < there.from || this.clock.time > there.to)) void this.approach(this.clock.time);
  }

  /** Reads the charts of a range again, with all the detail that a screen shows; one reading at a time. */
  async zoom(range: Range | null): Promise<void> {
    this.range = range;
    if (!range) this.zoomed = null;
    if (!range || this.zooming || (this.overview?.factor ?? 1) <= 1) return;
    this.zooming = true;
    const turn = this.turn;
    try {
      for (let read: Range | null = null; this.range && this.range !== read && turn === this.turn; ) {
        read = this.range;
        const found = await readWindow(this.job, { ...read, buckets: BUCKETS, frames: 1 });
        if (this.range && turn === this.turn) this.zoomed = found;
      }
    } catch (problem) {
      if (turn === this.turn) this.problem = message(problem);
    }
    this.zooming = false;
  }
}

export const player = new Player();
