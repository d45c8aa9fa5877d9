/** Requests to the app's API; a refusal is thrown as an Error with its reason. */
import type { Upload } from "./messages";
import { clientId, stream } from "./stream";

const TAKEN_MS = 1500;
const OWNER_KEY = "armtwin_owner";

/** Returns the headers that identify this browser; its jobs and files belong to all of its tabs. */
function owner(): Record<string, string> {
  let id = clientId();
  try {
    id = localStorage.getItem(OWNER_KEY) ?? id;
    localStorage.setItem(OWNER_KEY, id);
  } catch {
    // Without storage it belongs to the tab.
  }
  return { "X-Armtwin-Client": id, "X-Armtwin-Name": encodeURIComponent(stream.hello?.you ?? "") };
}

interface Refusal {
  error?: string;
  hint?: string;
}

/** Sends a request and returns the decoded answer; throws an Error with the reason of a refusal. */
export async function request<T>(method: string, path: string, content?: unknown): Promise<T> {
  const headers = owner();
  const options: RequestInit = { method, headers };
  if (content !== undefined) {
    options.body = JSON.stringify(content);
    headers["Content-Type"] = "application/json";
  }
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("No connection to the app.");
  }
  const answer = parsed(await response.text());
  if (response.ok) return answer as T;
  const { error, hint } = answer as Refusal;
  throw new Error([error || `The app answered ${response.status}.`, hint].filter(Boolean).join(" "));
}

/** Sends a file; `onProgress` gets the share that has been sent. */
export function sendFile(file: File, kind: string, onProgress: (share: number) => void): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const upload = new XMLHttpRequest();
    const query = new URLSearchParams({ name: file.name.slice(-200) || "file", kind });
    upload.open("POST", `/api/uploads?${query}`);
    for (const [name, value] of Object.entries(owner())) upload.setRequestHeader(name, value);
    upload.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    upload.onerror = () =>
      reject(new Error("The file could not be sent: no connection to the app, or it is too large."));
    upload.onload = () => {
      const answer = parsed(upload.responseText) as Upload & Refusal;
      if (upload.status === 200) resolve(answer);
      else reject(new Error(answer.error || `The app answered ${upload.status}.`));
    };
    upload.send(file);
  });
}

/** Returns once this client has control; takes free control of a robot that is not real. */
export async function haveControl(): Promise<void> {
  if (stream.lost) throw new Error("The robot is lost: nothing can be moved.");
  if (stream.mine) return;
  const holder = stream.state?.lease.holder;
  if (holder) throw new Error(`${holder} has control. Request it above.`);
  if (!stream.hello || stream.hello.real) throw new Error("Take control above first: this is a real robot.");
  stream.send({ type: "take" });
  const end = performance.now() + TAKEN_MS;
  while (!stream.mine) {
    if (performance.now() > end) throw new Error("Control could not be taken; try again.");
    await new Promise((done) => setTimeout(done, 30));
  }
}

export const message = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
