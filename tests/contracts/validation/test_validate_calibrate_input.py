"""What ``calibrate`` refuses, and what its command line prints and writes."""

import json

import numpy as np
import pytest
from measured_runs import poses_of, run_of

import armtwin as at
from armtwin.calibration.options import CalibrateOptions
from armtwin.cli.main import run
from armtwin.errors import ArmFileError, InputError, MissingColumnError, MissingDataError

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


@pytest.mark.parametrize(
    ("content", "told"),
    [("", "no 'kinematics'"), ("kinematics: 3", "no 'kinematics'"), ("a: [", "not a YAML file"),
     ("kinematics:\n  hash: calib_1\n", "names no joint"),
     ("kinematics:\n  shoulder:\n    x: 0\n", "needs x, y, z"),
     ("kinematics:\n  shoulder: {x: .nan, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0}\n", "not finite")],
)  # fmt: skip
def test_bad_factory_calibrations_are_refused(tmp_path, content, told):
    """The message says what is missing when a calibration file cannot be read."""
    path = tmp_path / "calibration.yaml"
    path.write_text(content)
    with pytest.raises(ArmFileError, match=told):
        at.with_factory_calibration(ARM, path)


def test_factory_calibration_counts_joints(tmp_path):
    """The joints are counted when a calibration has fewer than the arm."""
    path = tmp_path / "one.yaml"
    path.write_text("kinematics:\n  shoulder: {x: 0, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0}\n")
    with pytest.raises(InputError, match="has 1 joints"):
        at.with_factory_calibration(ARM, path)
    with pytest.raises(ArmFileError, match="no such calibration file"):
        at.with_factory_calibration(ARM, tmp_path / "none.yaml")


def test_factory_calibration_is_applied_in_validate(tmp_path):
    """The error vanishes when the robot's own calibration is applied to its recording."""
    frames = {"shoulder": (0, 0, 0.1809, 0, 0, 1e-4), "upper_arm": (1e-4, 0, 0, 1.5709, 0, 0),
              "forearm": (-0.6129, 0, 0, 1e-3, -2e-4, 0),
              "wrist_1": (-0.5716, -1e-4, 0.1742, 2e-3, 1e-4, 0),
              "wrist_2": (0, -0.1199, 1e-4, 1.5706, 0, 0),
              "wrist_3": (1e-4, 0.1166, 0, 1.5707, 3.141592653589793, 3.1415)}  # fmt: skip
    names = ("x", "y", "z", "roll", "pitch", "yaw")
    lines = [
        f"  {joint}: {{{', '.join(f'{k}: {v}' for k, v in zip(names, values, strict=True))}}}"
        for joint, values in frames.items()
    ]
    path = tmp_path / "mine.yaml"
    path.write_text("\n".join(["kinematics:", *lines, "  hash: calib_1", ""]))
    run_ = run_of(at.with_factory_calibration(ARM, path), rows=300)
    assert at.validate(ARM, run_)["position"].rmse > 5e-4
    check = at.validate(ARM, run_, calibration=path)
    assert check["position"].max < 1e-12
    assert check.inputs == (path,)
