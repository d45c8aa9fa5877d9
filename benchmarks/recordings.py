"""Reading recordings beside polars and NumPy: ``python -m benchmarks.recordings``.

Ten minutes at 500 Hz with 31 columns, as text, compressed text and a ROS 2 bag, and the report's
29,051 rows. Each reading runs in a fresh process, which reports the time of the reading and how far
its memory peaked above what it held before, in multiples of the recording's own size (rows x
columns x 8 bytes). Needs Linux, which counts the peak. Exits with 1 when a claim is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROWS, SHORT_ROWS = 300_000, 29_051
GROUPS = ("q", "qd", "tau", "target_q", "current")
TIME_LIMIT, SIZE_LIMIT, START_LIMIT = 1.0, 3.0, 1.5

PROGRAM = """
import json, re, sys, time
from pathlib import Path
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
start = time.perf_counter()
import numpy, {modules}
before, ready = peak(), time.perf_counter()
columns = {read}
took = time.perf_counter() - ready
print(json.dumps(dict(start=ready - start, seconds=took, bytes=1024 * (peak() - before))))
"""
OURS = ("armtwin.recording.read as r, pyarrow.csv, pyarrow.compute", "r.read_recording({path!r})")
READERS = {
    "armtwin": OURS,
    "polars": ("polars", "[c.to_numpy() for c in polars.read_csv({path!r}).get_columns()]"),
    "numpy.loadtxt": ("numpy", "numpy.loadtxt({path!r}, delimiter=',', skiprows=1)"),
}


def write_csv(path: Path, rows: int) -> Path:
    """Write a recording of all groups with the digits that real ones have."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    rng, t = np.random.default_rng(0), np.arange(rows) / 500
    columns = {"time": t}
    for group in GROUPS:
        for joint in range(1, 7):
            columns[f"{group}{joint}"] = np.sin(t * joint * 0.1) + rng.normal(0, 1e-3, rows)
    arrow_csv.write_csv(pa.table(columns), path)
    return path


def measure(tasks: dict[str, tuple[str, Path]], rounds: int) -> dict[str, dict[str, float] | None]:
    """Return the best of several readings in fresh processes, which take turns.

    Args:
        tasks: by name, the reader and the file; None is the result without the reader's library.
        rounds: how many turns each gets.
    """
    best: dict[str, dict[str, float] | None] = {}
    for turn in range(rounds):
        for name, (reader, path) in tasks.items():
            found = _read_once(reader, path)
            old = best.get(name)
            is_new = turn == 0 or old is None or found is None
            best[name] = found if is_new else {key: min(old[key], found[key]) for key in found}
    return best


def _read_once(reader: str, path: Path) -> dict[str, float] | None:
    modules, read = READERS[reader]
    code = PROGRAM.format(modules=modules, read=read.format(path=str(path)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return None if done.returncode else json.loads(done.stdout)


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the best one counts")
    rounds = parser.parse_args().rounds
    size = ROWS * (1 + 6 * len(GROUPS)) * 8
    with tempfile.TemporaryDirectory() as folder:
        long = write_csv(Path(folder) / "long.csv", ROWS)
        packed = Path(folder) / "long.csv.gz"
        packed.write_bytes(gzip.compress(long.read_bytes(), compresslevel=1))
        short = write_csv(Path(folder) / "short.csv", SHORT_ROWS)
        tasks = {name: (name, long) for name in READERS}
        tasks |= {"armtwin, gzip": ("armtwin", packed), "armtwin, short": ("armtwin", short)}
        results = measure(tasks, rounds)
    ours, brief = results["armtwin"], results.pop("armtwin, short")
    print(f"{ROWS} rows, 31 columns, {size / 1e6:.0f} MB in memory")
    for name, found in results.items():
        print(f"  {name:16s} " + (_line(found, size) if found else "not installed"))
    assert ours is not None and brief is not None
    return _judge(ours, brief, size)


def _line(found: dict[str, float], size: int) -> str:
    return (
        f"{found['seconds']:6.2f} s, start-up {found['start']:.2f} s, "
        f"peak {found['bytes'] / 1e6:4.0f} MB = {found['bytes'] / size:.2f} x its size"
    )


def _judge(ours: dict[str, float], brief: dict[str, float], size: int) -> int:
    total = brief["start"] + brief["seconds"]
    claims = (
        (ours["seconds"] <= TIME_LIMIT, f"300,000 rows in {ours['seconds']:.2f} s (1 s)"),
        (ours["bytes"] <= SIZE_LIMIT * size, f"{ours['bytes'] / size:.2f} x its size (3 x)"),
        (total <= START_LIMIT, f"29,051 rows with start-up in {total:.2f} s (1.5 s)"),
    )
    for reached, text in claims:
        print(f"  {'reached' if reached else 'MISSED'}: {text}")
    return 0 if all(reached for reached, _ in claims) else 1


if __name__ == "__main__":
    sys.exit(main())
