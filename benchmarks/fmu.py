"""FMUs beside FMPy and PythonFMU: ``python -m benchmarks.fmu``; ``--all`` for all plants.

Forward kinematics of the UR10e over 29,051 rows at 2 ms: our runner on our FMU, FMPy on our FMU,
FMPy on a PythonFMU of the same arm; then from CSV to CSV as whole processes, our command beside
``fmpy``; then what export costs. Contenders agree before they are timed and take turns. Times are
CPU time, what one core needs, so that other programs on the machine disturb less; those of export
are wall time. Exits with 1 when a claim is missed.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import armtwin
from armtwin.fmu.export.export import export_fmu
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals, write_signals
from armtwin.fmu.run.with_fmpy import run_with_fmpy
from benchmarks.fmu_plants import all_plants
from benchmarks.pythonfmu_peer import python_fmu

ROWS, STEP = 29_051, 0.002
LOOP_CLAIM, PROCESS_CLAIM = 20.0, 8.0
EXPORT_LIMITS = {"host": 3.0, "all": 15.0}
SIZE_LIMIT = 120_000


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="speed of all plants (CPU time) instead")
    parser.add_argument("--only", default="", help="with --all: arms whose names match this")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="armtwin-bench-") as place:
        if options.all:
            missed = all_plants(Path(place), options.only)
        else:
            bench = Bench(Path(place), options.rows, options.rounds)
            missed = bench.loops() + bench.processes() + bench.exports()
    for text in missed:
        print(f"MISSED: {text}")
    print("every claim is kept" if not missed else f"{len(missed)} claims missed")
    return int(bool(missed))


class Bench:
    """The FMUs, the inputs and the rounds."""

    def __init__(self, folder: Path, rows: int, rounds: int) -> None:
        """Write FMUs and inputs to a folder."""
        self.folder, self.rounds = folder, rounds
        self.arm = armtwin.load("ur10e")
        self.fmu = export_fmu(self.arm, folder / "fk.fmu").path
        self.python = python_fmu(self.arm, folder)
        t = STEP * np.arange(rows, dtype=np.float64)
        waves = {f"q{k}": 1.5 * np.sin(2 * np.pi * t / (6 + k) + k) for k in range(1, 7)}
        self.inputs = Signals(t, waves)
        write_signals(folder / "in.csv", self.inputs)
        print(f"UR10e forward kinematics, {rows} rows at {1e3 * STEP:g} ms, best of {rounds}")
        print("CPU time\n")

    def loops(self) -> list[str]:
        """Time the simulation alone; an importer's own loop is part of it."""
        methods: dict[str, Callable[[], tuple[float, np.ndarray]]] = {
            "our runner, our FMU": self._ours,
            "FMPy, our FMU": lambda: self._fmpy(self.fmu),
        }
        if self.python is not None:
            python = self.python
            methods["FMPy, PythonFMU"] = lambda: self._fmpy(python)
        best = dict.fromkeys(methods, np.inf)
        truth = self._ours()[1]
        for _ in range(self.rounds):
            for name, method in methods.items():
                seconds, values = method()
                _agree(name, values, truth)
                best[name] = min(best[name], seconds)
        _table("simulation", best, "our runner, our FMU")
        if self.python is None:
            print("  FMPy, PythonFMU: not run, pythonfmu is not installed")
        ratio = best["FMPy, our FMU"] / best["our runner, our FMU"]
        return _claim("runner against FMPy on the same FMU", ratio, LOOP_CLAIM)

    def _ours(self) -> tuple[float, np.ndarray]:
        run = run_fmu(self.fmu, self.inputs)
        return run.facts.cpu_seconds, run.values

    def _fmpy(self, fmu: Path) -> tuple[float, np.ndarray]:
        run = run_with_fmpy(fmu, self.inputs, options=RunFmuOptions(mode="cs"))
        return run.facts.cpu_seconds, run.values

    def processes(self) -> list[str]:
        """Time whole processes from CSV to CSV."""
        table, stop = str(self.folder / "in.csv"), str(float(self.inputs.time[-1]))
        ours = [
            sys.executable, "-m", "armtwin.cli", "fmu", "run", str(self.fmu), "--input", table,
            "--out", str(self.folder / "ours.csv"), "--force",
        ]  # fmt: skip
        theirs = [
            sys.executable, "-c", "from fmpy.cli import main; main()", "simulate", str(self.fmu),
            "--input-file", table, "--output-file", str(self.folder / "theirs.csv"),
            "--output-interval", str(STEP), "--stop-time", stop,
        ]  # fmt: skip
        best = {"armtwin fmu run": np.inf, "fmpy simulate": np.inf}
        for _ in range(self.rounds):
            for name, command in zip(best, (ours, theirs), strict=True):
                begun = _children_seconds()
                subprocess.run(command, check=True, capture_output=True)
                best[name] = min(best[name], _children_seconds() - begun)
        _table("\nCSV in to CSV out, whole process", best, "armtwin fmu run")
        ratio = best["fmpy simulate"] / best["armtwin fmu run"]
        return _claim("command against fmpy's", ratio, PROCESS_CLAIM)

    def exports(self) -> list[str]:
        """Time warm exports of both FMI versions, and weigh the files."""
        print("\nexport of forward kinematics, warm")
        missed = []
        for platform, limit in EXPORT_LIMITS.items():
            if platform == "all" and importlib.util.find_spec("ziglang") is None:
                print("  all: not run, ziglang is not installed")
                continue
            for fmi in (2, 3):
                file = self.folder / f"{platform}{fmi}.fmu"
                export_fmu(self.arm, file, fmi=fmi, platform=platform)
                begun = time.perf_counter()
                done = export_fmu(self.arm, file, fmi=fmi, platform=platform, force=True)
                seconds = time.perf_counter() - begun
                print(f"  FMI {fmi}, {platform:4}  {seconds:6.2f} s  {done.size:7d} bytes")
                if seconds > limit:
                    missed.append(f"export for {platform} took {seconds:.1f} s, limit {limit:g} s")
                if platform == "all" and done.size > SIZE_LIMIT:
                    missed.append(f"FMI {fmi} for all platforms has {done.size} bytes")
        return missed


def _children_seconds() -> float:
    """Return the CPU time of all processes that were started and have ended [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _agree(name: str, values: np.ndarray, truth: np.ndarray) -> None:
    off = float(np.abs(values - truth).max())
    if not off < 1e-9:
        raise SystemExit(f"{name} differs from our runner by {off:.1e}: nothing is timed")


def _table(title: str, best: dict[str, float], ours: str) -> None:
    print(title)
    for name, seconds in best.items():
        print(f"  {name:24} {seconds:9.4f} s  {seconds / best[ours]:7.1f} x")


def _claim(what: str, ratio: float, wanted: float) -> list[str]:
    print(f"  {what}: {ratio:.1f} x faster, claimed {wanted:g} x")
    return [] if ratio >= wanted else [f"{what}: {ratio:.1f} x, claimed {wanted:g} x"]


if __name__ == "__main__":
    sys.exit(main())
