"""Takes pictures of the app: ``python docs/make_app_pictures.py [FOLDER] [--all] [--only PAGE]``.

Those of docs/app_pages.md, or with ``--all`` every page on a desk and on a phone, upright and on
its side, light and dark. Needs playwright and Debian's chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from make_viewer_pictures import recording
from pictures_taken import SIZES, THEMES, browser, opened, settle, take
from playwright.sync_api import Browser, Page

import armtwin as at

ARM = "ur10e"
CLIENT = "picture-taker"
KEPT = (("desk", "light"), ("phone", "dark"), ("landscape", "light"))
"""Sizes and themes of the pictures that docs/app_pages.md shows."""
GO = "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
TOP = """result => {
  const scroller = result.closest(".desk .panel-body, .sheet-body");
  const [top, edge] = [result, scroller].map((one) => one.getBoundingClientRect().top);
  scroller.scrollTop += top - edge;
}"""
VIEWS = {
    "move": "/", "tool": "/", "load": "/load", "programs": "/teach", "recordings": "/recordings",
    "check": "/check", "identify": "/identify", "energy": "/energy", "fmu": "/fmu",
    "missing": "/no/such/page", "contacts": "/live", "start": "/start", "drag": "/",
}  # fmt: skip
"""Pages by the name of their picture, and their addresses."""
PUSHED = ("/live", "/start")
"""Pages on which the arm is pushed for 5 s; the scene does not settle meanwhile."""


class App:
    """A running app.

    Args:
        link: its address with the token.
    """

    def __init__(self, link: str) -> None:
        self.link, self.address = link, link.split("?")[0].rstrip("/")
        self._token = link.split("token=")[1]

    def request(self, path: str, content: Any = None) -> Any:
        """Return the JSON answer to a POST of JSON or bytes, or to a GET without content."""
        raw = isinstance(content, bytes)
        data = content if raw else None if content is None else json.dumps(content).encode()
        head = {"Authorization": f"Bearer {self._token}"}
        head["Content-Type"] = "application/octet-stream" if raw else "application/json"
        request = urllib.request.Request(f"{self.address}/api/{path}", data, head)
        with urllib.request.urlopen(request, timeout=180) as answer:
            return json.load(answer)

    def send(self, file: Path) -> str:
        """Send a recording and return its id."""
        name = urllib.parse.quote(file.name)
        found: str = self.request(f"uploads?name={name}&kind=recording", file.read_bytes())["id"]
        return found

    def work(self, **parameters: Any) -> None:
        """Run a job to its end."""
        job = self.request("jobs", parameters)
        while job["state"] in ("waiting", "running"):
            time.sleep(0.3)
            job = self.request(f"jobs/{job['id']}")
        if job["state"] != "done":
            raise SystemExit(f"{parameters['kind']}: {job['error']}")


@contextlib.contextmanager
def running(home: str) -> Iterator[App]:
    """Give a shared app with a data folder of its own, and end it."""
    command = [sys.executable, "-m", "armtwin.cli", "app", ARM, "--port", "0", "--share"]
    own = {**os.environ, "ARMTWIN_HOME": home}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=own)
    assert process.stdout is not None
    try:
        lines = iter(process.stdout.readline, "")
        yield App(next(found[0] for line in lines if (found := re.search(r"http://\S+", line))))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def prepare(app: App, folder: Path) -> Path:
    """Teach positions, push the arm, finish a job of every kind that is quick; return a run."""
    run = Path(recording().save(folder / "run.parquet"))
    plan = at.Circle(radius=0.1, period=4.0, seconds=4.0).motion(at.load("ur5e-energy"))
    at.Recording.of(plan.time, {"q": plan.q}).save(folder / "plan.parquet")
    app.work(kind="validate", arm="here", recording=app.send(run))
    app.work(kind="energy", arm="ur5e-energy", recording=app.send(folder / "plan.parquet"))
    app.work(kind="fmu", arm="here")
    teach(app)
    return run


def teach(app: App) -> None:
    """Take control, move the arm and save three positions."""
    app.request("lease/take", {"client": CLIENT, "name": "pictures"})
    start = np.array([0.0, -1.9, 1.9, -1.6, -1.5, 0.2])
    for name, turn in (("above", 0.0), ("at the part", 0.4), ("away", 0.9)):
        q = (start + turn * np.array([1.0, 0.2, -0.2, 0.0, 0.0, 0.5])).tolist()
        app.request("lease/take", {"client": CLIENT, "name": "pictures"})
        app.request("move", {"client": CLIENT, "q": q, "speed": 1.0})
        while app.request("state")["moving"]:
            app.request("lease/take", {"client": CLIENT, "name": "pictures"})
            time.sleep(0.05)
        app.request("teach/positions", {"client": CLIENT, "name": name})
    app.request("lease/release", {"client": CLIENT})


def acts(app: App, run: Path, page: Page) -> dict[str, Callable[[], object]]:
    """Return what is done on a page before its picture is taken."""
    push = {"client": CLIENT, "joint": 2, "torque": 72.0, "seconds": 5.0}

    def play() -> None:
        if not page.get_by_test_id("played").count():
            page.get_by_test_id("play-file").set_input_files(run)
        page.get_by_test_id("played").wait_for()
        page.locator("input.overview").evaluate(
            "track => { track.value = 6.3;"
            " track.dispatchEvent(new Event('input', { bubbles: true })); }"
        )

    def check() -> None:
        page.get_by_test_id("show-recording").click()
        page.get_by_test_id("shown-instead").wait_for()
        page.get_by_test_id("job").evaluate(TOP)

    def drag() -> None:
        page.get_by_test_id("tab-Joints").click()
        page.get_by_role("button", name="Drag tool").click()

    return {
        "tool": page.get_by_test_id("tab-Tool").click,
        "drag": drag,
        "contacts": lambda: app.request("live/push", push),
        "start": lambda: app.request("live/push", push),
        "programs": page.get_by_test_id("tab-Positions").click,
        "recordings": play,
        "check": check,
        "energy": lambda: page.get_by_test_id("job").evaluate(TOP),
        "fmu": lambda: page.get_by_test_id("job").evaluate(TOP),
    }


def photograph(
    app: App, chromium: Browser, run: Path, size: str, theme: str, given: argparse.Namespace
) -> None:
    """Take the pictures of one size and theme.

    Args:
        app: the app.
        chromium: a browser.
        run: a recording.
        size: of the page.
        theme: of the page.
        given: folder of the pictures, and names of the pages.
    """
    out = given.folder
    with opened(chromium, size, theme) as page:
        page.goto(app.address)
        take(page, out / f"app_token_{size}_{theme}.webp")
        page.goto(app.link)
        page.wait_for_selector("[data-posed]")
        before = acts(app, run, page)
        for name, path in VIEWS.items():
            if given.only and name not in given.only:
                continue
            page.evaluate(GO, path)
            if name in before:
                before[name]()
            if path in PUSHED:
                page.get_by_test_id("alarm").first.wait_for()
                page.wait_for_timeout(4300)  # shaders of the ring are compiled in software
            else:
                settle(page)
            take(page, out / f"app_{name}_{size}_{theme}.webp")
            sys.stderr.write(f"{name}, {size}, {theme}\n")


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "pictures")
    parser.add_argument("--all", action="store_true", help="every size in every theme")
    parser.add_argument("--only", nargs="+", choices=[*VIEWS], help="pages; all if left out")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    others = [(size, theme) for size in SIZES for theme in THEMES if (size, theme) not in KEPT]
    for size, theme in (*KEPT, *others) if given.all else KEPT:
        with tempfile.TemporaryDirectory() as place, running(place) as app, browser() as chromium:
            photograph(app, chromium, prepare(app, Path(place)), size, theme, given)


if __name__ == "__main__":
    main()
