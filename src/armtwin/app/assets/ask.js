// Requests to the app's own API; a refusal becomes an Error that says why.
import { stream } from "/assets/stream.js";

const TAKEN_MS = 1500;

export const client = () => sessionStorage.__nicegui_tab_id;

export async function ask(method, path, content) {
  const options = { method };
  if (content !== undefined) {
    options.body = JSON.stringify(content);
    options.headers = { "Content-Type": "application/json" };
  }
  return answered(await reached(fetch(path, options)));
}

// Sends a file; `onProgress` gets the share that has been sent.
export function sendFile(file, kind, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({ name: file.name.slice(-200) || "file", kind });
    request.open("POST", `/api/uploads?${query}`);
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onerror = () => reject(new Error("The file could not be sent: no connection to the app, or it is too large."));
    request.onload = () => {
      const answer = read(request.responseText);
      if (request.status === 200) resolve(answer);
      else reject(new Error(answer.error || `The app answered ${request.status}.`));
    };
    request.send(file);
  });
}

// Returns once this client has control; takes it where nobody has it and no real robot is meant.
export async function haveControl() {
  if (stream.lost) throw new Error("The robot is lost: nothing can be moved.");
  if (stream.mine) return;
  const holder = stream.state?.lease.holder;
  if (holder) throw new Error(`${holder} has control. Ask for it above.`);
  if (!stream.hello || stream.hello.real) throw new Error("Take control above first: this is a real robot.");
  stream.send({ type: "take" });
  const end = performance.now() + TAKEN_MS;
  while (!stream.mine) {
    if (performance.now() > end) throw new Error("Control could not be taken; try again.");
    await new Promise((done) => setTimeout(done, 30));
  }
}

async function reached(promise) {
  try {
    return await promise;
  } catch {
    throw new Error("No connection to the app.");
  }
}

async function answered(response) {
  const answer = read(await response.text());
  if (response.ok) return answer;
  throw new Error([answer.error || `The app answered ${response.status}.`, answer.hint].filter(Boolean).join(" "));
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
