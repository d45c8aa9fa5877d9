/** Makes an arm the one that the app shows: one of the catalogue, or a job's arm file. */
import { request } from "../../robot/requests";
import { clientId } from "../../robot/stream";

export async function useCatalogueArm(name: string): Promise<void> {
  await request("POST", "/api/live/arm", { client: clientId(), name });
}

export async function useArmFile(job: string, file: string): Promise<void> {
  const answer = await fetch(`/api/jobs/${job}/files/${encodeURIComponent(file)}`);
  if (!answer.ok) throw new Error("The arm file is not there any more; identify the arm again.");
  await request("POST", "/api/live/arm", { client: clientId(), toml: await answer.text() });
}
