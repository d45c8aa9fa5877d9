// The notebook widget (anywidget): the page of the file inside a cell.
import "../styles/base.css";
import { mount, unmount } from "svelte";
import type { Content } from "../file/content";
import File from "../file/File.svelte";
import { Session } from "../file/session.svelte";
import { followTheme } from "./theme";
import { linkTraits, type Model } from "./traits.svelte";

async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  el.classList.add("armtwin-cell");
  // Keys that are pressed in the viewer are no commands of JupyterLab.
  el.dataset["lmSuppressShortcuts"] = "true";
  try {
    const session = await Session.open(model.get("content") as Content);
    const unfollow = followTheme();
    const page = mount(File, { target: el, props: { session, embedded: true } });
    const unlink = linkTraits(model, session);
    el.dataset["ready"] = "yes";
    return () => {
      unlink();
      unfollow();
      session.clock.pause();
      void unmount(page);
    };
  } catch (error) {
    el.textContent = `This view could not be shown: ${error instanceof Error ? error.message : String(error)}`;
    el.dataset["ready"] = "failed";
    return () => undefined;
  }
}

export default { render };
