"""The demo and the benchmark, run as a person would."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armtwin as at
from armtwin.detection.detect import detect

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return what the demo printed and the folder it ran in."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-W", "error", "-m", "armtwin.cli", "demo"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout, folder


def test_demo_writes_where_it_says(told):
    """The files that the demo names exist when it has run."""
    text, folder = told
    assert "FAILED" not in text
    listed = text.split("Written\n")[1].split("\n\n")[0].split("\n")
    named = [Path(line.strip()) for line in listed]
    names = {"demo.html", "demo.pdf", "demo.parquet", "demo.png", "UR10e_FK.fmu"}
    assert {path.name for path in named} == names
    assert all((folder / path).stat().st_size > 1000 for path in named)
    assert str(folder / "reports" / "demo.html") in text
    assert {path.name for path in (folder / "reports").iterdir()} == names


def test_demo_holds_the_circle_and_the_push(told):
    """The recording goes round the circle and tells the push when the demo has run."""
    run = at.read_recording(told[1] / "reports" / "demo.parquet")
    wanted = run.group("target_position")
    turned = wanted[run.time >= 4]
    centre = (turned.max(axis=0) + turned.min(axis=0)) / 2
    np.testing.assert_allclose(np.linalg.norm(wanted - centre, axis=1), 0.2, atol=1e-4)
    pushed = run.time[np.abs(run["tau_ext2"]) > 1]
    assert (pushed.min(), pushed.max()) == pytest.approx((6.002, 6.5))


def test_demo_fails_when_the_push_is_not_felt(monkeypatch, tmp_path, capsys):
    """The exit code is 1 and the reason is told when the detector is deaf."""
    from armtwin.cli.main import run
    from armtwin.cli.verbs.setup import demo
    from armtwin.demo import story

    deaf = lambda arm, run, clean: dataclasses.replace(  # noqa: E731
        detect(arm, run, clean=clean), alarms=()
    )
    monkeypatch.setattr(story, "detect", deaf)
    monkeypatch.setattr(demo, "_checks", lambda arm: True)
    monkeypatch.setattr(demo, "_write", lambda told, out: [])
    assert run(["demo", "--out", str(tmp_path)]) == 1
    assert "FAILED: the push was not felt in time" in capsys.readouterr().out


def test_demo_fails_with_a_broken_law(monkeypatch, tmp_path, capsys):
    """The exit code is 1 when a self-check does not hold."""
    from armtwin.cli.main import run
    from armtwin.cli.verbs.setup import demo
    from armtwin.demo import self_check
    from armtwin.reproduce.figure import DocumentResult

    monkeypatch.setattr(demo, "_write", lambda told, out: [])
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
