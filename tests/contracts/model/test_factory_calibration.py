"""Calibration files that a robot's maker wrote: what is refused, and what they change."""

import pytest
from measured_runs import run_of

import armtwin as at
from armtwin.errors import ArmFileError, InputError

ARM = at.load("ur10e")


@pytest.mark.parametrize(
    ("content", "reported"),
    [("", "no 'kinematics'"), ("kinematics: 3", "no 'kinematics'"), ("a: [", "not a YAML file"),
     ("kinematics:\n  hash: calib_1\n", "names no joint"),
     ("kinematics:\n  shoulder:\n    x: 0\n", "needs x, y, z"),
     ("kinematics:\n  shoulder: {x: .nan, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0}\n", "not finite")],
)  # fmt: skip
def test_bad_factory_calibrations_are_refused(tmp_path, content, reported):
    """The message says what is missing when a calibration file cannot be read."""
    path = tmp_path / "calibration.yaml"
    path.write_text(content)
    with pytest.raises(ArmFileError, match=reported):
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
