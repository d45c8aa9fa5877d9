/** A job of a panel from start to result, polled while it runs. */
import type { Job } from "../../robot/messages";
import { request, message } from "../../robot/requests";

const PERIOD_MS = 300;

export class JobWatch {
  job = $state.raw<Job | null>(null);
  problem = $state("");
  /** The job that was started on this page, by its id. */
  started = $state("");
  private timer = 0;
  private over = false;

  constructor(private readonly kinds: string[]) {}

  get on(): boolean {
    return this.job?.state === "running" || this.job?.state === "waiting";
  }

  /** Shows the newest job of these kinds, and follows it until the returned function is called. */
  watch(): () => void {
    void this.first().then(() => this.poll());
    return () => {
      this.over = true;
      clearTimeout(this.timer);
    };
  }

  complain = (text: string): void => {
    this.problem = text;
  };

  async start(parameters: object): Promise<void> {
    this.problem = "";
    await this.update("POST", "/api/jobs", parameters);
    this.started = this.problem ? "" : (this.job?.id ?? "");
  }

  async cancel(): Promise<void> {
    if (this.job) await this.update("POST", `/api/jobs/${this.job.id}/cancel`);
  }

  private async update(method: string, path: string, content?: object): Promise<void> {
    try {
      this.job = await request<Job>(method, path, content);
    } catch (problem) {
      this.complain(message(problem));
    }
  }

  private async first(): Promise<void> {
    try {
      const jobs = await request<Job[]>("GET", "/api/jobs");
      this.job ??= jobs.find((job) => this.kinds.includes(job.kind)) ?? null;
    } catch (problem) {
      this.complain(message(problem));
    }
  }

  private async poll(): Promise<void> {
    const current = this.job;
    if (current && this.on) {
      try {
        const job = await request<Job>("GET", `/api/jobs/${current.id}`);
        if (this.job?.id === current.id && this.on) this.job = job;
      } catch (problem) {
        this.complain(message(problem));
      }
    }
    if (!this.over) this.timer = setTimeout(() => this.poll(), PERIOD_MS) as unknown as number;
  }
}
