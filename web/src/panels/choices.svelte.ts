/** What the app offers: arms for a virtual robot, mappings of columns, kinds of FMUs. */
import { request } from "../robot/requests";

interface Choices {
  virtual_arms: string[];
  mappings: string[];
  fmu_models: Record<string, string>;
}

class Offered {
  known = $state.raw<Choices>({ virtual_arms: [], mappings: [], fmu_models: {} });

  async read(): Promise<Choices> {
    this.known = await request<Choices>("GET", "/api/choices");
    return this.known;
  }
}

export const offered = new Offered();
