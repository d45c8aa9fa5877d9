"""What ``calibrate`` refuses, and what its command line prints and writes."""

import json

import numpy as np
import pytest
from measured_runs import poses_of, run_of

import armtwin as at
from armtwin.calibration.options import CalibrateOptions
from armtwin.cli.main import run
from armtwin.errors import InputError, MissingColumnError, MissingDataError

ARM = at.load("ur10e")


@pytest.fixture(scope="module")
def poses():
    """Forty poses with a tool that the arm does not know of."""
    return poses_of(ARM.with_(tool=at.pose((0.1, 0, 0.2))), count=40, noise=1e-5, turn_noise=1e-5)


def test_missing_positions_are_told(poses):
    """The columns that exist are listed when no position was measured."""
    with pytest.raises(MissingColumnError, match=r"it has q1\.\.q6"):
        at.calibrate(ARM, poses.select("q"))


def test_other_number_of_joints(poses):
    """The numbers are named when the arm has another number of joints."""
    with pytest.raises(InputError, match="has 6 joints, arm 'desktop5' has 5"):
        at.calibrate(at.load("desktop5"), poses)


def test_too_few_poses(poses):
    """At least six poses are asked for when fewer are given."""
    with pytest.raises(InputError, match="4 poses are too few"):
        at.calibrate(ARM, poses.slice(0, 3))


def test_rows_with_gaps_are_left_out_and_told(poses):
    """Rows with gaps are left out and counted when a cell is empty."""
    x = poses["x"].copy()
    x[3] = np.nan
    fit = at.calibrate(ARM, poses.with_columns({"x": x}), parameters="frames")
    assert fit.after.count == 39
    assert "1 of 40 rows dropped" in fit.notes[0]
    assert "the position in 1" in fit.notes[0]


@pytest.mark.parametrize(
    ("choice", "told"),
    [({"parameters": "everything"}, "there are auto, frames"), ({"hold_out": 1.0}, "0.9"),
     ({"length_tolerance": 0.0}, "positive"), ({"angle_tolerance": np.nan}, "positive")],
)  # fmt: skip
def test_wrong_choices_are_refused(poses, choice, told):
    """The message says what is allowed when a choice is not."""
    with pytest.raises(InputError, match=told):
        at.calibrate(ARM, poses, **choice)


def test_compliance_needs_masses(poses):
    """The missing masses are named when compliances are asked for without them."""
    with pytest.raises(MissingDataError, match="lacks numbers that dynamics needs"):
        at.calibrate(at.load("ur10e-report"), poses, parameters="compliance")
    assert at.calibrate(at.load("ur10e-report"), poses).chosen != "compliance"


def test_kept_frames_are_kept(poses):
    """Base and tool stay as they were when they are not to be fitted."""
    start = ARM.with_(tool=at.pose((0.1, 0, 0.2)))
    fit = at.calibrate(start, poses, base=False, tool=False)
    assert fit.arm.base == start.base
    assert fit.arm.tool == start.tool
    assert not any(p.name.startswith(("base", "tool")) for p in fit.parameters)


def test_command_line(poses, tmp_path, capsys):
    """Numbers, what was held and the errors are printed, and the arm is written, when it runs."""
    path, arm = poses.save(tmp_path / "poses.csv"), tmp_path / "mine.toml"
    words = ["calibrate", "ur10e", str(path), "--hold-out", "0.25", "--parameters", "frames"]
    assert run([*words, "--out", str(arm)]) == 0
    text = capsys.readouterr().out
    assert "tool_z" in text
    assert "held-out poses" in text
    assert "PASSED: mean held-out error" in text
    assert f"written to {arm}" in text
    assert at.load(arm).tool[2][3] == pytest.approx(0.2, abs=1e-4)
    assert run([*words, "--out", str(arm)]) == 2
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["errors"]["held_out"]["count"] == 10


def test_steps_are_reported(poses):
    """Every step is reported as it begins when on_progress is given."""
    steps = []
    at.calibrate(ARM, poses, on_progress=lambda progress: steps.append(progress.step))
    assert steps[0] == "reading"
    assert {"frames", "geometry", "testing"} <= set(steps)


def test_arm_and_recording_by_name(poses, tmp_path):
    """The same result when arm and recording are given as a name and a file."""
    path = poses.save(tmp_path / "poses.csv")
    fit = at.calibrate("ur10e", path, parameters="frames")
    assert fit.after.mean == at.calibrate(ARM, poses, parameters="frames").after.mean
    assert fit.inputs == (path,)


def test_choices_override_options(poses):
    """Keywords replace fields of the options when both are given."""
    options = CalibrateOptions(parameters="geometry", hold_out=0.25)
    fit = at.calibrate(ARM, poses, options=options, parameters="frames")
    assert (fit.chosen, fit.held_out.count) == ("frames", 10)


def test_test_recordings_are_only_predicted(poses):
    """Errors on other recordings are given when they are named as a test."""
    other = poses_of(ARM.with_(tool=at.pose((0.1, 0, 0.2))), count=30, seed=5)
    fit = at.calibrate(ARM, {"cell": poses}, test={"cell": other}, parameters="frames")
    assert fit.held_out.count == 30
    assert fit.held_out.mean < 5e-5
    timed = run_of(ARM, rows=300, orientation=False)
    assert at.calibrate(ARM, timed, parameters="frames").after.rms < 1e-9
