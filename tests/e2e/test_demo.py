"""The demo's failures, and the benchmark. ``tests/repo/test_wheel.py`` runs the whole demo."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from armtwin.detection.detect import detect

ROOT = Path(__file__).parents[2]


def test_demo_fails_when_the_push_is_not_detected(monkeypatch, tmp_path, capsys):
    """The exit code is 1 and the reason is printed when no contact is detected."""
    from armtwin.cli.main import run
    from armtwin.cli.verbs.setup import demo
    from armtwin.demo import story

    blind = lambda arm, run, clean: dataclasses.replace(  # noqa: E731
        detect(arm, run, clean=clean), alarms=()
    )
    monkeypatch.setattr(story, "detect", blind)
    monkeypatch.setattr(demo, "_checks", lambda arm: True)
    monkeypatch.setattr(demo, "_write", lambda result, out: [])
    assert run(["demo", "--out", str(tmp_path)]) == 1
    assert "FAILED: the push was not detected in time" in capsys.readouterr().out


def test_demo_fails_with_a_broken_law(monkeypatch, tmp_path, capsys):
    """The exit code is 1 when a self-check does not hold."""
    from armtwin.cli.main import run
    from armtwin.cli.verbs.setup import demo
    from armtwin.demo import self_check
    from armtwin.reproduce.figure import DocumentResult

    monkeypatch.setattr(demo, "_write", lambda result, out: [])
    monkeypatch.setattr(self_check, "self_check", lambda arm: [DocumentResult("law", 2.0, "", 1.0)])
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
