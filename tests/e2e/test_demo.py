"""The demo's failures, and the benchmark. ``tests/repo/test_wheel.py`` runs the whole demo."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.cli.verbs.setup import demo
from armtwin.demo import scenario, self_check
from armtwin.reproduce.figure import DocumentResult

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """The demo's result, computed once."""
    arm = at.load("ur10e")
    plant = scenario.built(arm)
    runs = [demo._run(plant, pushed=pushed) for pushed in (True, False)]
    return scenario.finish(arm, plant, *runs, tmp_path_factory.mktemp("demo") / "demo.fmu")


@pytest.fixture
def quick(monkeypatch, result):
    """Let the demo take that result and write nothing."""
    monkeypatch.setattr(demo, "_run", lambda plant, pushed: None)
    monkeypatch.setattr(demo, "_write", lambda result, out: [])
    monkeypatch.setattr(scenario, "finish", lambda *given: result)


def test_demo_fails_when_the_push_is_not_detected(monkeypatch, quick, result, tmp_path, capsys):
    """The exit code is 1 and the reason is printed when no contact is detected."""
    assert result.failures == []
    blind = dataclasses.replace(result, detection=dataclasses.replace(result.detection, alarms=()))
    monkeypatch.setattr(scenario, "finish", lambda *given: blind)
    monkeypatch.setattr(demo, "_checks", lambda arm: True)
    assert run(["demo", "--out", str(tmp_path)]) == 1
    assert "FAILED: the push was not detected in time" in capsys.readouterr().out


def test_demo_fails_with_a_broken_law(monkeypatch, quick, tmp_path, capsys):
    """The exit code is 1 when a self-check does not hold."""
    monkeypatch.setattr(self_check, "self_check", lambda arm: [DocumentResult("law", 2.0, "", 1.0)])
    assert run(["demo", "--out", str(tmp_path)]) == 1
    assert "FAILED: a self-check" in capsys.readouterr().out


@pytest.mark.parametrize("module", ["benchmarks.kinematics"])
def test_benchmark_runs_small(module):
    """Every task is timed and judged when the benchmark runs on a few states."""
    command = [sys.executable, "-m", module, "--states", "100", "--rounds", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("[ns per configuration]") == 4
    assert "import armtwin takes" in done.stdout
