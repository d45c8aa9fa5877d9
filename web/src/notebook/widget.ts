// The notebook widget (anywidget): the page of the file inside a cell.
import "../styles/base.css";
import { mount, unmount } from "svelte";
import type { Content } from "../file/content";
import File from "../file/File.svelte";
import { Session } from "../file/session.svelte";

interface Model {
  get(name: "content"): Content;
}

async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  el.classList.add("armtwin-cell");
  try {
    const session = await Session.open(model.get("content"));
    const page = mount(File, { target: el, props: { session, embedded: true } });
    el.dataset["ready"] = "yes";
    return () => void unmount(page);
  } catch (error) {
    el.textContent = `This view could not be shown: ${error instanceof Error ? error.message : String(error)}`;
    el.dataset["ready"] = "failed";
    return () => undefined;
  }
}

export default { render };
