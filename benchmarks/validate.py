"""``armtwin validate`` beside pandas and roboticstoolbox: ``python -m benchmarks.validate``.

A recording of 29,051 rows with joints, position, Euler angles and quaternion, as text. Each method
is a fresh process from the file to a JSON verdict, start-up included; they take turns and the best
counts. Both must find the same figures before anything is timed. Exits with 1 when a claim is
missed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import armtwin as at

ROWS, STEP, NOISE = 29_051, 0.002, 3e-4
LIMIT = 1.5
OURS = "armtwin validate"
CLASS, COMPILED = "pandas + roboticstoolbox", "the same with its compiled chain"


def write_run(path: Path, rows: int) -> Path:
    """Write a recording of the UR10e with noise in its positions."""
    rng, t = np.random.default_rng(0), STEP * np.arange(float(rows))
    rates, phases = rng.uniform(0.05, 0.4, (6, 3)), rng.uniform(0, 6, (6, 3))
    q = (0.3 * np.sin(2 * np.pi * t[:, None, None] * rates + phases)).sum(axis=2)
    pose = at.tool_coordinates(at.load("ur10e"), q)
    position = pose.position + NOISE * rng.normal(size=pose.position.shape)
    names = "time,q1,q2,q3,q4,q5,q6,x,y,z,roll,pitch,yaw,qx,qy,qz,qw"
    columns = np.column_stack([t, q, position, pose.rpy, pose.quaternion])
    np.savetxt(path, columns, delimiter=",", header=names, comments="", fmt="%.9g")
    return path


def commands(path: Path) -> dict[str, list[str]]:
    """Return the command line of every method."""
    methods = {
        OURS: [sys.executable, "-m", "armtwin.cli", "validate", "ur10e", str(path), "--json"]
    }
    if all(importlib.util.find_spec(name) for name in ("pandas", "roboticstoolbox")):
        script = [sys.executable, "-m", "benchmarks.validate_script", str(path)]
        methods |= {CLASS: script, COMPILED: [*script, "ets"]}
    return methods


def figures(command: list[str]) -> dict[str, dict[str, float]]:
    """Run a method once and return the figures that it found."""
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    if "table" in found:
        rows = {row["signal"]: row for row in found["table"]}
        names = ("mae", "rmse", "max")
        return {s: {n: rows[s][n] for n in names} for s in ("position", "quaternion")}
    return found


def check(methods: dict[str, list[str]]) -> None:
    """Stop when a method disagrees with ours by more than 1e-8."""
    ours = figures(methods[OURS])
    for name, command in methods.items():
        theirs = figures(command)
        gap = max(abs(theirs[s][f] - ours[s][f]) for s in ours for f in ours[s])
        if not gap < 1e-8:
            sys.exit(f"{name} differs from armtwin by {gap:g}; nothing was timed")


def seconds(methods: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """Return the best wall time of every method [s]; they take turns."""
    best = dict.fromkeys(methods, float("inf"))
    for _ in range(rounds):
        for name, command in methods.items():
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the recording")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; the best one counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        methods = commands(write_run(Path(folder) / "run.csv", options.rows))
        check(methods)
        best = seconds(methods, options.rounds)
    if CLASS not in best:
        print("pandas or roboticstoolbox is not installed: pip install -r requirements/bench.txt")
    print(f"{options.rows:,} rows, file to JSON verdict, start-up included [s]")
    for name, took in best.items():
        print(f"  {name:34s} {took:8.3f}   {took / best[OURS]:6.2f} x ours")
    reached = best[OURS] < LIMIT
    verdict = "reached" if reached else "MISSED"
    print(f"\n{verdict}: {best[OURS]:.3f} s (at most {LIMIT} s)")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
