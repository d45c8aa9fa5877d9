"""The benchmark of FMUs runs and compares before it times; its timings decide nothing here."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fmpy", reason="FMPy is not installed")
ROOT = Path(__file__).parents[2]


def test_benchmark_runs_on_a_few_rows():
    """Every contender is timed and every claim judged when the table is short."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fmu", "--rows", "300", "--rounds", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    for part in ("our runner, our FMU", "FMPy, our FMU", "FMPy, PythonFMU", "fmpy simulate"):
        assert part in done.stdout
    assert ("MISSED" in done.stdout) == (done.returncode == 1)


def test_wrong_results_are_not_timed(monkeypatch):
    """Nothing is timed when a contender's results differ."""
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.fmu import _agree

    with pytest.raises(SystemExit, match="differs from our runner by 1"):
        _agree("FMPy", np.ones(3), np.zeros(3))
