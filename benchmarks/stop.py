"""How fast STOP is answered and acted on, alone and under attack: ``python -m benchmarks.stop``.

The app, the client that measures and every attack run in processes of their own. The client holds
control, moves the arm, sends ``POST /api/stop`` and waits until a state says that the arm is no
longer on its way to the goal. It prints p50, p99, p99.9 and the largest of both times; the target
is 100 ms for p99.9. App and client have sessions of their own and take a high priority where they
may, so that delays of the client do not count. Run it on a machine that is otherwise quiet. Exits
with 1 when the target is missed.

The last line (``--only page``) is STOP pressed in a browser without a GPU while four processes
keep the processor busy, see ``benchmarks.stop_page``; ``--graphics none`` shows what is left of its
times when nothing is drawn. The browser has no priority, so no target is set.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from websockets.sync.client import connect

from armtwin.robots.priority import raise_priority, take_usual_priority
from benchmarks.app_browser import CHROMIUM
from benchmarks.app_process import running
from benchmarks.busy_processes import busy_processes
from benchmarks.live_processes import Process
from benchmarks.stop_attacks import ATTACKS
from benchmarks.stop_page import opened_page, page_stops

CLIENT = "stop-benchmark"
TARGET = 0.1
"""For p99.9 [s]."""
BUSY = 4
"""Busy processes beside a page."""
NEAR, FAR = [0.0, -1.5, 1.5, -1.5, -1.5, 0.0], [5.0, -1.5, 1.5, -1.5, -1.5, 0.0]


@dataclass
class Times:
    """How long STOPs took [s].

    Attributes:
        answered: from the request to its answer.
        acted: from the request to the first state in which the arm heads for its stop.
    """

    answered: list[float] = field(default_factory=list)
    acted: list[float] = field(default_factory=list)

    def line(self, name: str) -> str:
        """Return a line of the table [ms]."""
        parts = [_figures(self.answered), _figures(self.acted)]
        return f"{name:12} {len(self.answered):5}  " + "   ".join(parts)

    @property
    def worst(self) -> float:
        """The larger p99.9 of the two [s]."""
        return max(percentile(self.answered, 99.9), percentile(self.acted, 99.9))


class Client:
    """Holds control over the stream, moves the arm and stops it.

    Args:
        address: host:port of the app.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._open = contextlib.ExitStack()
        self._socket = self._open.enter_context(
            connect(f"ws://{address}/api/stream?client={CLIENT}", proxy=None)
        )
        self._socket.send(json.dumps({"type": "take"}))
        self._stopped, self._moving = threading.Event(), threading.Event()
        self._ended, self._stop_time = False, 0.0
        self._goal, self._first_joint = FAR, 0.0
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()

    def close(self) -> None:
        """Let go."""
        self._ended = True
        self._open.close()

    def set_out(self) -> None:
        """Move the arm towards the goal that is further away; return once it is on its way."""
        self._goal = NEAR if self._first_joint > (NEAR[0] + FAR[0]) / 2 else FAR
        self._moving.clear()
        for _ in range(10):  # control may have expired while this process had no processor
            self._socket.send(json.dumps({"type": "take"}))
            self._socket.send(json.dumps({"type": "move", "q": self._goal, "speed": 0.05}))
            if self._moving.wait(5.0):
                break
        else:
            raise SystemExit("the arm did not set out within 50 s")
        self._stopped.clear()

    def stopped_at(self) -> float:
        """Return when the arm headed for its stop, after ``set_out`` (time of day) [s]."""
        if not self._stopped.wait(60.0):
            raise SystemExit("the arm was not stopped within 60 s")
        return self._stop_time

    def measure(self, times: Times) -> None:
        """Move the arm, stop it, and note both times."""
        self.set_out()
        begun = time.perf_counter()
        line = http.client.HTTPConnection(self.address, timeout=30)
        line.request("POST", "/api/stop")
        answer = line.getresponse()
        answer.read()
        times.answered.append(time.perf_counter() - begun)
        line.close()
        if answer.status != 200 or not self._stopped.wait(30.0):
            raise SystemExit(f"STOP failed: {answer.status}")
        times.acted.append(time.perf_counter() - begun)

    def _listen(self) -> None:
        with contextlib.suppress(Exception):
            for text in self._socket:
                state = json.loads(text)
                if state["type"] == "state":
                    self._note(state)

    def _note(self, state: dict[str, Any]) -> None:
        self._first_joint = state["q"][0]
        if state["moving"] and abs(state["target"][0] - self._goal[0]) < 1e-6:
            self._moving.set()
        elif not self._stopped.is_set():
            self._stop_time = time.time()
            self._stopped.set()

    def _beat(self) -> None:
        with contextlib.suppress(Exception):
            while not self._ended:
                self._socket.send(json.dumps({"type": "heartbeat"}))
                time.sleep(0.3)


def percentile(values: Sequence[float], share: float) -> float:
    """Return a percentile [same unit]; the largest where there are too few values."""
    return float(np.percentile(values, share, method="higher"))


def _figures(values: Sequence[float]) -> str:
    shares = [percentile(values, share) for share in (50, 99, 99.9)] + [max(values)]
    return " ".join(f"{1e3 * value:8.1f}" for value in shares)


@contextlib.contextmanager
def attacked(address: str, names: Sequence[str], seconds: float) -> Iterator[None]:
    """Run attacks meanwhile."""
    line = [sys.executable, "-m", "benchmarks.stop_attacks", address]
    with tempfile.TemporaryFile() as sink:
        running_attacks = [
            subprocess.Popen(
                [*line, name, str(seconds)],
                stdout=sink,
                stderr=sink,
                start_new_session=True,
                preexec_fn=take_usual_priority,
            )
            for name in names
        ]
        try:
            yield
        finally:
            for attack in running_attacks:
                attack.kill()
                attack.wait()


def stops(client: Client, seconds: float, least: int = 1) -> Times:
    """Return the times of STOPs sent one after the other for a while."""
    times, end = Times(), time.monotonic() + seconds
    while time.monotonic() < end or len(times.answered) < least:
        client.measure(times)
    return times


def memory_of(pid: int) -> float:
    """Return the resident memory of a process and all its descendants [MB]."""
    found = subprocess.run(
        ["ps", "-e", "-o", "pid=,ppid=,rss="], capture_output=True, text=True, check=True
    )
    rows = [tuple(map(int, line.split())) for line in found.stdout.splitlines()]
    family, before = {pid}, 0
    while len(family) > before:
        before = len(family)
        family |= {child for child, parent, _ in rows if parent in family}
    return sum(size for child, _, size in rows if child in family) / 1024


def measured(process: Process, address: str, names: Sequence[str], seconds: float) -> Times:
    """Return the times under some attacks, after giving these a moment to begin."""
    client = Client(address)
    try:
        with attacked(address, names, seconds + 30):
            time.sleep(4.0 if names else 0.0)
            return stops(client, seconds)
    finally:
        client.close()


def page_line(count: int, graphics: str) -> None:
    """Measure and print STOPs in a page."""
    if CHROMIUM is None:
        print("page: not measured, there is no chromium here")
        return
    load_processes = busy_processes(BUSY, take_usual_priority)
    with running() as (_, address, _), opened_page(address, graphics) as page, load_processes:
        client = Client(address)
        try:
            times = page_stops(client, page, count)
        finally:
            client.close()
    load = os.getloadavg()[0]
    print(
        f"\npage, {graphics} graphics, {BUSY} busy processes, load {load:.1f}; from the event on:"
    )
    print(f"{'':12} {count:5}  {_figures(times.handled)}   {_figures(times.acted)}  heard, acted")


def main() -> int:
    """Measure, print and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="for each attack")
    parser.add_argument("--only", help=f"none, all, page, or one of {', '.join(ATTACKS)}")
    parser.add_argument("--presses", type=int, default=60, help="STOPs in the page")
    parser.add_argument("--graphics", default="full", help="of the page: full, simple or none")
    given = parser.parse_args()
    cases: dict[str, list[str]] = {"none": [], **{name: [name] for name in ATTACKS}}
    cases["all"] = list(ATTACKS)
    raise_priority()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start; times in ms")
    print(f"{'attack':12} {'stops':>5}  answered: p50, p99, p99.9, max       acted: the same")
    missed = 0
    for name, attacks in cases.items():
        if given.only not in (None, name):
            continue
        with running() as (process, address, _):
            begun, used = time.monotonic(), process.cpu()
            times = measured(process, address, attacks, given.seconds)
            share = (process.cpu() - used) / (time.monotonic() - begun)
            size = memory_of(process.pid)
        missed += times.worst > TARGET
        verdict = "ok" if times.worst <= TARGET else "MISSED"
        print(f"{times.line(name)}  {size:6.0f} MB {100 * share:3.0f} %  {verdict}", flush=True)
    if given.only in (None, "page"):
        page_line(given.presses, given.graphics)
    return 1 if missed else 0


def in_own_session(run: Callable[[], int]) -> int:
    """Return what a function returns in a process with a session of its own (Linux: shares)."""
    child = os.fork()
    if not child:
        os.setsid()
        sys.exit(run())
    while True:
        try:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except KeyboardInterrupt:
            os.kill(child, signal.SIGINT)


if __name__ == "__main__":
    sys.exit(in_own_session(main))
