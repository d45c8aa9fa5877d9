"""The benchmark of dynamics runs and compares before it times; its timings decide nothing here."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pinocchio")
ROOT = Path(__file__).parents[2]


def bench(*options):
    """Run the benchmark and return the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.dynamics", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_benchmark_runs_on_a_few_states():
    """Every task is timed beside Pinocchio, and claims are judged, when the batch is tiny."""
    done = bench("--states", "70", "--threaded", "9000", "--rounds", "1", "--lanes", "4")
    assert done.returncode in (0, 1), done.stderr
    assert "70 states, 4 lanes" in done.stdout
    assert done.stdout.count("Pinocchio, Python loop") == 10
    assert "threads: 9,000 states" in done.stdout
    assert done.stdout.count("armtwin, given array (out=)") == 8
    assert "at later starts, from the cache" in done.stdout
    assert ("MISSED" in done.stdout) == (done.returncode == 1)


def test_wrong_results_are_not_timed(monkeypatch):
    """Nothing is timed when a contender's results differ."""
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import dynamics

    wrong = dynamics.at.gravity
    entry = (lambda *a, **k: 1.001 * wrong(*a, **k), *dynamics.TASKS["gravity"][1:])
    monkeypatch.setitem(dynamics.TASKS, "gravity", entry)
    with pytest.raises(SystemExit, match="gravity: Pinocchio, Python loop differs from armtwin by"):
        dynamics.Bench(5).check()
