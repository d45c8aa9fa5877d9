"""The demo and the benchmark, run as a person would."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def test_demo_writes_where_it_says(tmp_path):
    """The files that the demo names exist and hold the circle when it has run."""
    command = [sys.executable, "-W", "error", "-m", "armtwin.cli", "demo"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "FAILED" not in run.stdout
    named = [
        Path(line.strip()) for line in run.stdout.split("Written")[1].split("\n") if line.strip()
    ]
    assert [path.name for path in named] == ["circle.csv", "circle.png"]
    assert all((tmp_path / path).stat().st_size > 1000 for path in named)
    rows = np.loadtxt(tmp_path / "reports" / "circle.csv", delimiter=",", skiprows=1)
    centre = (rows[:-1, 6:9]).mean(axis=0)
    radius = np.linalg.norm(rows[:, 6:9] - centre, axis=1)
    np.testing.assert_allclose(radius, 0.2, atol=1e-9)


def test_demo_fails_with_a_broken_law(monkeypatch, tmp_path, capsys):
    """The exit code is 1 when a self-check does not hold."""
    from armtwin.cli.main import run
    from armtwin.reproduce import self_check
    from armtwin.reproduce.figure import Result

    monkeypatch.setattr(self_check, "self_check", lambda arm: [Result("law", 2.0, "", 1.0)])
    assert run(["demo", "--out", str(tmp_path)]) == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.parametrize("module", ["benchmarks.kinematics"])
def test_benchmark_runs_small(module):
    """Every task is timed and judged when the benchmark runs on a few states."""
    command = [sys.executable, "-m", module, "--states", "100", "--rounds", "1"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout.count("[ns per configuration]") == 4
    assert "import armtwin takes" in run.stdout
