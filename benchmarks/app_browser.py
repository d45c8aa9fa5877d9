"""The app's page in Debian's chromium, which draws in software: tasks of ``benchmarks.app``."""

from __future__ import annotations

import contextlib
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import armtwin
from benchmarks.app_process import running
from benchmarks.live_load import Figure

NUDGES = 40
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
ROWS, RATE = 900_000, 500.0
"""Half an hour at 500 Hz."""
DRAWN = "[data-testid=canvas][data-drawn]"
USABLE = """
() => new Promise((done) => {
  const look = () => document.querySelector("[data-testid=canvas][data-drawn]")
    && document.querySelector("[data-testid=at-x]") ? done(performance.now()) : setTimeout(look, 5);
  look();
})
"""
TIMED = """
async ([act, count, leastPx]) => {
  const place = document.querySelector("[data-testid=canvas]");
  const canvas = place.querySelector("canvas");
  const pointer = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, {
    clientX: x, clientY: y, pageX: x, pageY: y, pointerId: 1, pointerType: "mouse", bubbles: true,
    button: type === "pointermove" ? -1 : 0, buttons: type === "pointerup" ? 0 : 1,
  }));
  canvas.setPointerCapture = () => {}; // there is no real pointer to capture
  const drawnTool = () => (place.dataset.tool ?? "0,0").split(",").map(Number);
  const box = canvas.getBoundingClientRect();
  const [left, top] = drawnTool();
  const tool = [box.left + left, box.top + top];
  const slider = document.querySelector("[data-testid=joint-1]");
  const actions = {
    slider: (k) => {
      slider.value = Number(slider.value) + (k % 2 ? -1 : 1) * Math.PI / 180;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    },
    gizmo: (k) => pointer("pointermove", tool[0] + (k % 2 ? 6 : 12), tool[1] - (k % 2 ? 3 : 6)),
  };
  const once = (k) => new Promise((done, fail) => {
    const [x, y] = drawnTool();
    const watch = new MutationObserver(() => {
      const [u, v] = drawnTool();
      if (Math.hypot(u - x, v - y) < leastPx) return;
      const now = performance.now();
      watch.disconnect();
      clearTimeout(late);
      done(now - begun);
    });
    watch.observe(place, { attributeFilter: ["data-tool"] });
    const late = setTimeout(() => fail(new Error(`${act}: the arm did not move`)), 20000);
    const begun = performance.now();
    actions[act](k);
  });
  if (act === "gizmo") { pointer("pointermove", ...tool); pointer("pointerdown", ...tool); }
  const found = [];
  for (let k = 0; k < count; k++) {
    found.push(await once(k));
    await new Promise((done) => setTimeout(done, 350));
  }
  if (act === "gizmo") pointer("pointerup", ...tool);
  return found;
}
"""
"""Times from an input event to the first picture in which the tool is elsewhere [ms]. Every picture
notes where it has the tool; it is noted when the picture is handed to the browser."""
MIN_PX = 0.3
"""Smallest motion of the tool in the picture [CSS pixels]; places are noted to 0.1."""


@contextlib.contextmanager
def browser(*flags: str) -> Iterator[Any]:
    """Give a browser with nothing kept from before."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        opened = tools.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *flags])
        try:
            yield opened
        finally:
            opened.close()


def first_page() -> Iterator[Figure]:
    """Open the page: in a browser just started, and again; until arm and numbers are there."""
    cold: list[float] = []
    warm: list[float] = []
    with running() as (_, address, _):
        for _ in range(5):
            with browser() as opened:
                context = opened.new_context(viewport=PHONE)
                for times in (cold, warm):
                    page = context.new_page()
                    page.goto(f"http://{address}", wait_until="commit")
                    times.append(page.evaluate(USABLE) / 1000)
                    page.close()
    yield Figure("first page: usable in a new browser", statistics.median(cold), 2.0, "s")
    yield Figure("first page: usable when opened again", statistics.median(warm), 1.5, "s")


def _moved(act: str, viewport: dict[str, int]) -> float:
    """Return the median time from an input event to a picture of the arm elsewhere [ms]."""
    with running() as (_, address, _), browser() as opened:
        page = opened.new_page(viewport=viewport)
        page.goto(f"http://{address}")
        page.wait_for_selector(DRAWN)
        page.get_by_test_id("speed").fill("100")
        if act == "gizmo":
            page.get_by_role("button", name="Drag tool").click()
            page.wait_for_timeout(2000)
        page.evaluate(TIMED, [act, 3, MIN_PX])
        return statistics.median(page.evaluate(TIMED, [act, NUDGES, MIN_PX]))


def slider() -> Iterator[Figure]:
    """Nudge a slider by one degree, again and again, and watch the picture."""
    yield Figure("slider: input to drawn arm, median", _moved("slider", PHONE), 100.0, "ms")


def gizmo() -> Iterator[Figure]:
    """Drag the gizmo to and fro, and watch the picture."""
    yield Figure("gizmo: pointer to drawn arm, median", _moved("gizmo", DESK), 60.0, "ms")


def opened_recording() -> Iterator[Figure]:
    """Open half an hour at 500 Hz in the page until it can be scrubbed, and go to its end."""
    with tempfile.TemporaryDirectory() as folder, running() as (_, address, _):
        file = long_recording(Path(folder) / "long.parquet")
        size = file.stat().st_size / 1e6
        with browser() as opened:
            page = opened.new_page(viewport=DESK)
            page.set_default_timeout(120_000)
            page.goto(f"http://{address}/recordings")
            page.wait_for_selector(DRAWN)
            begun = time.monotonic()
            page.get_by_test_id("play-file").set_input_files(file)
            page.locator("input.overview").wait_for()
            took = time.monotonic() - begun
            begun = time.monotonic()
            page.locator("input.overview").focus()
            page.keyboard.press("End")
            page.locator("output.time b").get_by_text(f"{(ROWS - 1) / RATE:.2f}").wait_for()
            there = 1000 * (time.monotonic() - begun)
    yield Figure(f"half an hour at 500 Hz ({size:.0f} MB): opened, scrubbable", took, 5.0, "s")
    yield Figure("half an hour at 500 Hz: gone to its end", there, 300.0, "ms")


def long_recording(path: Path) -> Path:
    """Write joint positions, speeds and currents of half an hour; numbers as a log rounds them."""
    time_, numbers = np.arange(ROWS) / RATE, np.arange(6)
    phase = time_[:, None] * (0.3 + 0.1 * numbers) + numbers
    noise = np.random.default_rng(0).normal(0.0, 0.05, phase.shape)
    signals = {
        "q": np.array([0.0, -1.5, 1.5, -1.5, -1.5, 0.0]) + 0.4 * np.sin(phase),
        "qd": 0.4 * (0.3 + 0.1 * numbers) * np.cos(phase),
        "current": np.sin(phase) + noise,
    }
    rounded = {name: values.round(6) for name, values in signals.items()}
    return Path(armtwin.Recording.of(time_, rounded).save(path))


TASKS: dict[str, Callable[[], Iterator[Figure]]] = {
    "first": first_page, "slider": slider, "gizmo": gizmo, "open": opened_recording,
}  # fmt: skip
