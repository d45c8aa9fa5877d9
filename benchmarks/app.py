"""The web app against its targets: ``python -m benchmarks.app [--only first,gizmo]``.

The app, its clients and Debian's chromium run in processes of their own on this machine; chromium
draws in software. Run it on a machine that is otherwise quiet: the figures are times. Exits with 1
when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import app_browser, app_loads
from benchmarks.app_process import running
from benchmarks.live_load import Figure

CLIENTS = 60


def start() -> Iterator[Figure]:
    """Start the app: from the command to the first page served, the median of five."""
    times = []
    for _ in range(5):
        with running() as (_, _, took):
            times.append(took)
    yield Figure("app: first answer after its start", statistics.median(times), 3.0, "s")


def clients(seconds: float) -> Iterator[Figure]:
    """Serve 60 clients while the arm moves: the control process, which the stream comes from."""
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
    slowest = got["slowest"]
    yield Figure(f"{CLIENTS} clients: states a second, slowest", slowest, 48.0, "Hz", most=False)
    yield Figure(f"{CLIENTS} clients: one core of the app", 100 * share, 12.0, "%")


def memory(minutes: float) -> Iterator[Figure]:
    """Serve clients that come and go, and pages that are opened and closed."""
    seconds, sizes = 60 * minutes, []
    with running() as (process, address, _):
        line = ["-m", "benchmarks.app_clients", address, "--clients", "5"]
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


def loads(count: int) -> Iterator[Figure]:
    """Load the page many times and compare the memory of all processes with the start's."""
    seen, sizes = app_loads.measure(count)
    grown = app_loads.slope(seen, sizes)
    print(f"{'memory: growth over the second half':48} {grown:9.3f} kB a load")
    yield Figure(f"memory: grown in {count} page loads", sizes[-1] - sizes[0], app_loads.MOST, "MB")


def conditions() -> str:
    """Return the conditions that the figures hold for."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    shown = "no chromium"
    if app_browser.CHROMIUM is not None:
        line = [app_browser.CHROMIUM, "--version"]
        shown = subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()
    return (
        f"{os.cpu_count()} cores ({model}), load {os.getloadavg()[0]:.1f} before the start, "
        f"Python {platform.python_version()}, {shown}, which draws in software"
    )


def main() -> int:
    """Measure, print and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="of the 60 clients")
    parser.add_argument("--minutes", type=float, default=10.0, help="of the look at memory")
    parser.add_argument("--loads", type=int, default=10_000, help="of the page, for loads")
    parser.add_argument("--only", default="", help=f"some of {', '.join(TASKS)}, by commas")
    given = parser.parse_args()
    wanted = [name for name in given.only.split(",") if name] or list(TASKS)
    if unknown := set(wanted) - set(TASKS):
        parser.error(f"--only {','.join(sorted(unknown))}: there are {', '.join(TASKS)}")
    print(conditions(), flush=True)
    missed = 0
    for name in wanted:
        if name in app_browser.TASKS and app_browser.CHROMIUM is None:
            print(f"{name}: not measured, there is no chromium here")
            continue
        for figure in TASKS[name](given):
            missed += not figure.holds
            print(_line(figure), flush=True)
    return 1 if missed else 0


def _line(figure: Figure) -> str:
    sign, verdict = "<=" if figure.most else ">=", "ok" if figure.holds else "MISSED"
    value = f"{figure.value:9.3f} {figure.unit:3}"
    load = f"load {os.getloadavg()[0]:.1f}"
    return f"{figure.name:48} {value} {sign} {figure.target:g}  {verdict:6} {load}"


TASKS: dict[str, Callable[[argparse.Namespace], Iterator[Figure]]] = {
    "start": lambda _: start(),
    "clients": lambda given: clients(given.seconds),
    **{name: lambda _, task=task: task() for name, task in app_browser.TASKS.items()},  # type: ignore[misc]
    "memory": lambda given: memory(given.minutes),
    "loads": lambda given: loads(given.loads),
}


if __name__ == "__main__":
    sys.exit(main())
