"""Processor time of a virtual robot between two control cycles, while clients flood it.

``python -m benchmarks.live_work [--seconds 5]``. Unlike gaps between samples it does not depend on
what else the machine does, but for caches. The robot runs in a thread, the clients in another
process; the samples of one reader are read all the time.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import sys
import threading
import time
from collections.abc import Iterator

import armtwin as at
from armtwin.robots.priority import short_collections
from armtwin.robots.ur_controller.virtual_robot import SCRIPTS
from benchmarks import live_load
from benchmarks.live_load import LINES, LONG_LINES, PROGRAM

FUNCTIONS = b"def f():\n" + b" def g():\n  return 1\n end\n" * 900 + b" sync()\nend\n"
ATTACKS = {
    **{f"lines on {port}": (port, line) for port, line in LINES.items()},
    "long lines": (SCRIPTS[2], LONG_LINES),
    "lines of 1 MB": (SCRIPTS[2], b" " * 1_000_000 + b"\n"),
    "programs of 530 kB": (SCRIPTS[1], PROGRAM),
    "programs of 900 functions": (SCRIPTS[1], FUNCTIONS),
}
HALF_OPEN = "64 half-open sockets on each port"


def attack(name: str, host: str, seconds: float) -> None:
    """Flood a robot for some seconds; in a process of its own."""
    live_load.HOSTS[0] = host
    if name == HALF_OPEN:
        live_load.half_open(time.perf_counter() + seconds)
    elif name in ATTACKS:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            with live_load.flooding(*ATTACKS[name]):
                time.sleep(max(0.0, end - time.perf_counter()))


@contextlib.contextmanager
def noted_work(station: at.Station) -> Iterator[list[float]]:
    """Yield the processor time of the robot's thread at every control cycle [s]."""
    controller, times = station.robots[0].controller, []
    cycle = controller.cycle

    def noted() -> None:
        times.append(time.thread_time())
        cycle()

    controller.cycle = noted  # type: ignore[method-assign]
    yield times
    controller.cycle = cycle  # type: ignore[method-assign]


def read_samples(host: str, end: threading.Event) -> None:
    """Read samples as a client does."""
    from benchmarks.live_readers import Reader

    reader = Reader(host)
    with reader.socket:
        reader.socket.setblocking(True)
        while not end.is_set():
            reader.read(0.0)
            reader.clear()


def main() -> None:
    """Print the work of each flood."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each flood")
    seconds, host = parser.parse_args().seconds, "127.0.73.1"
    end, spawn = threading.Event(), multiprocessing.get_context("spawn")
    with at.Station([at.virtual_robot("ur5e", host)]) as station, short_collections():
        reader = threading.Thread(target=read_samples, args=(host, end))
        reader.start()
        with noted_work(station) as times:
            time.sleep(1.0)
            for name in ("no flood", *ATTACKS, HALF_OPEN):
                first = len(times)
                client = spawn.Process(target=attack, args=(name, host, seconds))
                client.start()
                client.join(seconds if name == "no flood" else None)
                sys.stdout.write(f"{name:36} {_summary(times[first:])}\n")
                sys.stdout.flush()
        end.set()
        reader.join()


def _summary(times: list[float]) -> str:
    work = sorted(1e3 * (b - a) for a, b in zip(times, times[1:], strict=False))
    share = work[int(0.999 * len(work))]
    return f"{len(work):6} cycles: 99.9 % within {share:6.2f} ms, longest {work[-1]:6.2f} ms"


if __name__ == "__main__":
    main()
