// The page of one HTML file: reads its data, loads the kernels, shows everything.
import "../styles/base.css";
import { mount } from "svelte";
import type { Content } from "./content";
import File from "./File.svelte";
import { Session } from "./session.svelte";

async function start(place: HTMLElement): Promise<void> {
  const text = document.getElementById("armtwin-data")?.textContent ?? "";
  const session = await Session.open(JSON.parse(text) as Content);
  mount(File, { target: place, props: { session } });
  place.dataset["ready"] = "yes";
  Object.assign(globalThis, { armtwinSession: session });
}

const place = document.getElementById("armtwin");
if (place) {
  start(place).catch((error: unknown) => {
    place.textContent = `This page could not be shown: ${error instanceof Error ? error.message : String(error)}`;
    place.dataset["ready"] = "failed";
  });
}
