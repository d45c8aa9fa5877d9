"""The live part against its targets: ``python -m benchmarks.live [--seconds 60] [--only NAME]``.

Virtual robots run in a process of their own on loopback addresses; clients are unmodified ur_rtde
and our own verbs. Run it on a machine that is otherwise quiet: the figures are times. Exits with 1
when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.live_load import MATRIX, Figure, flood, matrix, start
from benchmarks.live_processes import CLI, Process, one_core, robots, ur_rtde

ADDRESSES = [f"127.0.71.{k}" for k in range(1, 5)]

RECEIVE = """
import rtde_receive, time
r = rtde_receive.RTDEReceiveInterface(HOST)
stamps, arrivals, last, end = [], [], None, time.perf_counter() + SECONDS
while (now := time.perf_counter()) < end:
    stamp = r.getTimestamp()
    if stamp != last:
        last = stamp
        stamps.append(stamp)
        arrivals.append(now)
    time.sleep(5e-5)
gaps = sorted(b - a for a, b in zip(arrivals, arrivals[1:]))
due = round((stamps[-1] - stamps[0]) / 0.002) + 1
result = {"share": len(stamps) / due, "p99": gaps[int(0.99 * len(gaps))], "longest": gaps[-1]}
"""

CONTROL = """
import rtde_control, statistics, time
start = time.perf_counter()
c = rtde_control.RTDEControlInterface(HOST)
connect = time.perf_counter() - start
def took(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
forward = statistics.median(took(c.getForwardKinematics) for k in range(200))
q = [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]
start = time.perf_counter()
for k in range(1000):
    period = c.initPeriod()
    c.servoJ(q, 0, 0, 0.002, 0.1, 300)
    c.waitPeriod(period)
servo = time.perf_counter() - start
c.servoStop()
c.stopScript()
c.disconnect()
result = {"connect": connect, "forward": forward, "servo": servo}
"""


def receive(seconds: float) -> Iterator[Figure]:
    """Serve ur_rtde's Receive."""
    with robots(ADDRESSES[:1]) as server:
        used = server.cpu()
        got = ur_rtde(RECEIVE, ADDRESSES[0], seconds)
        share = (server.cpu() - used) / seconds
    yield Figure("ur_rtde Receive: samples that came", 100 * got["share"], 99.8, "%", most=False)
    yield Figure("ur_rtde Receive: 99 % of gaps within", 1e3 * got["p99"], 3.0, "ms")
    yield Figure("ur_rtde Receive: one core of the controller", 100 * share, 25.0, "%")


def control() -> Iterator[Figure]:
    """Serve ur_rtde's Control; the best of three connections."""
    with robots(ADDRESSES[:1]):
        got = [ur_rtde(CONTROL, ADDRESSES[0], 10) for _ in range(3)]
    best = {name: min(one[name] for one in got) for name in got[0]}
    yield Figure("ur_rtde Control: connected after", 1e3 * best["connect"], 50.0, "ms")
    yield Figure("ur_rtde Control: forward kinematics, median", 1e3 * best["forward"], 6.0, "ms")
    yield Figure("ur_rtde Control: 1,000 servoJ cycles of 2 ms", best["servo"], 2.05, "s")


def four(seconds: float) -> Iterator[Figure]:
    """Serve four robots on one core."""
    with robots(ADDRESSES, "--wander") as server, tempfile.TemporaryDirectory() as folder:
        one_core(server.pid)
        used = server.cpu()
        lines = [_record(address, seconds, Path(folder), k) for k, address in enumerate(ADDRESSES)]
        got = [json.loads(line.communicate()[0]) for line in lines]
        share = (server.cpu() - used) / seconds
    worst = 100 * min(one["share"] for one in got)
    yield Figure("four moving robots: samples that came", worst, 99.8, "%", most=False)
    yield Figure("four moving robots: their one core", 100 * share, 100.0, "%")


def _record(address: str, seconds: float, folder: Path, number: int) -> subprocess.Popen[str]:
    out = folder / f"{number}.parquet"
    line = [*CLI, "record", address, "--seconds", str(seconds), "--out", str(out), "--json"]
    return subprocess.Popen(line, stdout=subprocess.PIPE, text=True)


def mirror(seconds: float) -> Iterator[Figure]:
    """Mirror a moving robot with everything on, recording included."""
    arm, place = "ur5e-energy", tempfile.TemporaryDirectory()
    with place as folder, robots(ADDRESSES[:1], "--wander", arm=arm):
        out = str(Path(folder) / "run.parquet")
        line = ["mirror", ADDRESSES[0], "--arm", arm, "--seconds", str(seconds)]
        with Process([*CLI, *line, "--record", out, "--json"]) as process:
            got = json.loads(process.output())
            share = process.used / seconds
    network, latency = got["network"], got["latency"]
    yield Figure("mirror: samples that came", 100 * network["share"], 99.8, "%", most=False)
    yield Figure("mirror: latency, median", 1e3 * latency["median"], 3.0, "ms")
    yield Figure("mirror: one core", 100 * share, 100.0, "%")


def record(seconds: float) -> Iterator[Figure]:
    """Record for long and look at loss and memory."""
    with robots(ADDRESSES[:1], "--wander"), tempfile.TemporaryDirectory() as place:
        out = str(Path(place) / "run.parquet")
        line = ["record", ADDRESSES[0], "--seconds", str(seconds), "--out", out, "--json"]
        with Process([*CLI, *line]) as process:
            sizes = process.sizes(every=seconds / 20)
            got = json.loads(process.output())
    early, late = max(sizes[1:6]), max(sizes[-6:])
    yield Figure(f"record for {seconds:g} s: samples lost", got["missing"], 0.0, "")
    yield Figure("record: memory grown since its first quarter", late - early, 5.0, "MB")


def _pairs(text: str) -> list[tuple[int, int]]:
    """Return robots and readers of cases such as 1x100,10x1."""
    cases = [case.split("x") for case in text.split(",")]
    return [(int(count), int(readers)) for count, readers in cases]


def main() -> int:
    """Measure, print and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each measurement")
    parser.add_argument("--record", type=float, default=600.0, help="seconds of the recording")
    parser.add_argument("--load", type=float, default=3.0, help="seconds of a case under load")
    parser.add_argument("--pairs", help="robots x readers, as in 1x100,10x1; else all cases")
    parser.add_argument(
        "--only", help="receive, control, four, mirror, record, start, matrix or flood"
    )
    given = parser.parse_args()
    pairs = MATRIX if given.pairs is None else _pairs(given.pairs)
    tasks = {
        "receive": lambda: receive(given.seconds), "control": control,
        "four": lambda: four(given.seconds), "mirror": lambda: mirror(given.seconds),
        "record": lambda: record(given.record), "start": start,
        "matrix": lambda: matrix(given.load, pairs), "flood": lambda: flood(given.load),
    }  # fmt: skip
    missed = 0
    for name, task in tasks.items():
        if given.only not in (None, name):
            continue
        for figure in task():
            missed += not figure.holds
            print(figure, flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
