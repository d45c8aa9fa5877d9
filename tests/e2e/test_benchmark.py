"""The benchmark of kinematics, on a few states."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("module", ["benchmarks.kinematics"])
def test_benchmark_runs_small(module):
    """Every task is timed and judged when the benchmark runs on a few states."""
    command = [sys.executable, "-m", module, "--states", "100", "--rounds", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("[ns per configuration]") == 4
    assert "import armtwin takes" in done.stdout
