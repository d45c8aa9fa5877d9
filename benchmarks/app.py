"""The web app against its targets: ``python -m benchmarks.app [--minutes 10]``.

The app, its clients and Debian's chromium run in processes of their own on this machine; chromium
draws in software. Run it on a machine that is otherwise quiet: the figures are times. Exits with 1
when a target is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

from benchmarks.live import Figure
from benchmarks.live_processes import CLI, Process

CLIENTS = 5
NUDGES = 40
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip
DRAWN = "[data-testid=canvas][data-drawn]"
FIRST_PICTURE = """
() => new Promise((done) => {
  const look = () => document.querySelector("[data-testid=canvas][data-drawn]")
    && document.querySelector("[data-testid=at-x]") ? done(performance.now()) : setTimeout(look, 5);
  look();
})
"""
NUDGE = """
async (count) => {
  const socket = new WebSocket(`ws://${location.host}/api/stream?name=benchmark`);
  const stream = { state: null, handle: null, on: (_, handle) => {
    stream.handle = handle;
    return () => (stream.handle = null);
  } };
  await new Promise((ready) => (socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.type !== "state") return;
    stream.state = message;
    ready();
    stream.handle?.(message);
  }));
  const slider = document.querySelector("[data-testid=joint-1]");
  const canvas = document.querySelector("[data-testid=canvas]");
  const rest = () => new Promise((done) => setTimeout(done, 350));
  const once = (goal) => new Promise((done) => {
    const times = {}, begun = performance.now(), start = stream.state.q[0];
    const off = stream.on("state", (state) => {
      const frame = canvas.dataset.drawn;
      const note = (name) => {
        if (times[name] !== undefined) return;
        times[name] = 0;
        const look = () => {
          if (canvas.dataset.drawn === frame) return setTimeout(look, 1);
          times[name] = performance.now() - begun;
          if (name === "arrived") { off(); done(times); }
        };
        look();
      };
      if (Math.abs(state.q[0] - start) > 1e-6) note("moved");
      if (Math.abs(state.q[0] - goal) < 1e-6) note("arrived");
    });
    slider.value = goal;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const found = [];
  for (let k = 0; k < count; k++) {
    found.push(await once(stream.state.q[0] + (k % 2 ? -1 : 1) * Math.PI / 180));
    await rest();
  }
  socket.close();
  return found;
}
"""


@contextlib.contextmanager
def running() -> Iterator[tuple[Process, str, float]]:
    """Give the app's process, its address and how long it took to answer [s]."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    begun = time.monotonic()
    with Process([*CLI, "app", "ur5e", "--port", str(port)]) as process:
        while not _answers(port):
            time.sleep(0.005)
        yield process, f"127.0.0.1:{port}", time.monotonic() - begun


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def start() -> Iterator[Figure]:
    """Start the app: from the command to the first page served, the median of five."""
    times = []
    for _ in range(5):
        with running() as (_, _, took):
            times.append(took)
    yield Figure("app: first answer after its start", statistics.median(times), 3.0, "s")


def clients(seconds: float) -> Iterator[Figure]:
    """Serve five clients while the arm moves."""
    with running() as (process, address, _):
        line = ["-m", "benchmarks.app_clients", address, "--clients", str(CLIENTS)]
        watching = subprocess.Popen(
            [sys.executable, *line, "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True
        )
        time.sleep(1.5)
        used, begun = process.cpu(), time.monotonic()
        time.sleep(seconds - 2.0)
        share = (process.cpu() - used) / (time.monotonic() - begun)
        got = json.loads(watching.communicate()[0])
    yield Figure("5 clients: states a second, slowest", got["slowest"], 48.0, "Hz", most=False)
    yield Figure("5 clients: one core of the app", 100 * share, 40.0, "%")


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
    """Open the page in a browser just started: until the arm is drawn, the median of five."""
    times = []
    with running() as (_, address, _):
        for _ in range(5):
            with browser() as opened:
                page = opened.new_page(viewport={"width": 390, "height": 844})
                page.goto(f"http://{address}", wait_until="commit")
                times.append(page.evaluate(FIRST_PICTURE) / 1000)
    yield Figure("first page: arm drawn after opening it", statistics.median(times), 2.0, "s")


def slider() -> Iterator[Figure]:
    """Nudge a slider by one degree, again and again, and watch the picture."""
    with running() as (_, address, _), browser() as opened:
        page = opened.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"http://{address}")
        page.wait_for_selector(DRAWN)
        page.get_by_test_id("speed").fill("100")
        page.evaluate(NUDGE, 3)
        found = page.evaluate(NUDGE, NUDGES)
    for name, words in (("moved", "begins to move"), ("arrived", "stands 1 degree on")):
        times = statistics.median(one[name] for one in found)
        yield Figure(f"slider: drawn arm {words}, median", times, 100.0, "ms")


def memory(minutes: float) -> Iterator[Figure]:
    """Serve clients that come and go, and pages that are opened and closed."""
    seconds, sizes = 60 * minutes, []
    with running() as (process, address, _):
        line = ["-m", "benchmarks.app_clients", address, "--clients", str(CLIENTS)]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with tempfile.TemporaryFile() as sink:
                subprocess.run([sys.executable, *line, "--seconds", "9"], stdout=sink, check=True)
            for _ in range(5):
                urllib.request.urlopen(f"http://{address}/", timeout=5).read()
            sizes.append(process.size())
    quarter = max(len(sizes) // 4, 1)
    early, late = (
        statistics.median(sizes[quarter : 2 * quarter]),
        statistics.median(sizes[-quarter:]),
    )
    print(f"{'memory, minute by minute [MB]':48} " + " ".join(f"{s:.0f}" for s in sizes[::6]))
    yield Figure(f"memory: grown in {minutes:g} min, after a quarter", late - early, 3.0, "MB")


def main() -> int:
    """Measure, print and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="of the five clients")
    parser.add_argument("--minutes", type=float, default=10.0, help="of the look at memory")
    parser.add_argument("--only", help="start, clients, first, slider or memory")
    given = parser.parse_args()
    tasks = {
        "start": start, "clients": lambda: clients(given.seconds), "first": first_page,
        "slider": slider, "memory": lambda: memory(given.minutes),
    }  # fmt: skip
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start")
    missed = 0
    for name, task in tasks.items():
        if given.only not in (None, name):
            continue
        if name in ("first", "slider") and CHROMIUM is None:
            print(f"{name}: not measured, there is no chromium here")
            continue
        for figure in task():
            sign = "<=" if figure.most else ">="
            missed += not figure.holds
            verdict = "ok" if figure.holds else "MISSED"
            value = f"{figure.value:9.3f} {figure.unit:3}"
            print(f"{figure.name:48} {value} {sign} {figure.target:g}  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
