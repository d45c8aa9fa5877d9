// Traits of the widget, kept equal on both sides: the shown time, the moved sliders, the verdict.
import type { Session } from "../file/session.svelte";

export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
  save_changes(): void;
}

type Numbers = Readonly<Record<string, number>>;

/** Links a session with its model until the returned function is called. */
export function linkTraits(model: Model, session: Session): () => void {
  const { clock, content } = session;
  const nameOf = (k: number): string => `${content.sliders[k]!.group} ${content.sliders[k]!.name}`;

  function send(values: Record<string, unknown>): void {
    const changed = Object.entries(values).filter(([name, value]) => JSON.stringify(model.get(name)) !== JSON.stringify(value));
    for (const [name, value] of changed) model.set(name, value);
    if (changed.length) model.save_changes();
  }

  function moved(): Numbers {
    return Object.fromEntries(session.values.flatMap((value, k) => (value === content.sliders[k]!.value ? [] : [[nameOf(k), value]])));
  }

  function showTime(): void {
    const wanted = Number(model.get("time"));
    if (clock.playing || wanted === clock.time) return;
    session.mode = session.tables ? "recording" : session.mode;
    clock.seek(wanted);
  }

  function moveSliders(): void {
    const wanted = (model.get("numbers") ?? {}) as Numbers;
    if (JSON.stringify(wanted) === JSON.stringify(moved())) return;
    content.sliders.forEach((slider, k) => (session.values[k] = wanted[nameOf(k)] ?? slider.value));
    session.compute();
  }

  moveSliders();
  showTime();
  const stop = $effect.root(() => {
    $effect(() => {
      if (!clock.playing) send({ time: clock.time });
    });
    $effect(() => send({ numbers: moved(), verdict: content.recording ? session.verdict : "" }));
  });
  model.on("change:time", showTime);
  model.on("change:numbers", moveSliders);
  return () => {
    model.off("change:time", showTime);
    model.off("change:numbers", moveSliders);
    stop();
  };
}
