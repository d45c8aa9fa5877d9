"""Validation of catalogue arms against recordings of real ones."""

import json

import numpy as np
import pytest
from data_folder import recording_file

import armtwin as at
from armtwin.cli.main import run

UR5_RUNS = [f"ur5_force/ur5_kkufieta_{name}.csv.gz" for name in
            ("No1", "No9_NoDist", "No9_ForceSensor")]  # fmt: skip


@pytest.mark.parametrize("name", UR5_RUNS)
def test_ur5_poses_agree_to_micrometres(name):
    """The tool agrees within 2 um RMS when the UR5 twin runs on recorded joints, without a fit."""
    check = at.validate("ur5", recording_file(name))
    assert check["position"].rmse <= 2e-6
    assert check["angle"].rmse <= 5e-6
    assert check.passed
    assert not check.fitted
    assert abs(check.lag.samples) < 1e-3


def test_another_arm_is_named():
    """The UR5 is named as the arm that fits when its recording is held against a UR5e."""
    check = at.validate("ur5e", recording_file(UR5_RUNS[0]))
    assert not check.passed
    assert check.causes[0].kind == "other arm"
    assert "'ur5'" in check.causes[0].text


def test_ur3e_agrees_with_one_fitted_tool():
    """The tool agrees within 0.5 mm RMS when one constant tool is fitted, and not before."""
    path = recording_file("ur3e_power/fig9.xlsx")
    bare, fitted = at.validate("ur3e", path), at.validate("ur3e", path, fit_tool=True)
    assert fitted["position"].rmse <= 0.5e-3
    assert bare["position"].rmse > 0.1
    assert bare.causes[0].kind == "tool"
    assert np.array(fitted.fitted["tool"])[2, 3] == pytest.approx(0.150, abs=0.001)


def test_ur3e_torques_follow_the_payload():
    """Torques of joints 2 to 4 agree better when the recorded payload is carried."""
    from armtwin.recording.read import read_recording

    recording = read_recording(recording_file("ur3e_power/fig9.xlsx"), "ur3e")
    loaded = at.validate("ur3e", recording)
    kept = [name for name in recording.columns if name != "payload"]
    bare = at.validate("ur3e", recording.select(*kept))
    for joint in (2, 4):
        assert loaded[f"target_tau{joint}"].r2 > 0.99
        assert loaded[f"target_tau{joint}"].rmse < 0.6 * bare[f"target_tau{joint}"].rmse


@pytest.mark.parametrize(
    ("file", "low", "high"),
    [("Series_B/measurements_joint_configurations.csv", 0.9e-3, 1.1e-3),
     ("Series_D/measurements_iso_cubes.csv", 0.65e-3, 1.1e-3)],
)  # fmt: skip
def test_laser_tracker_with_fitted_frames(file, low, high):
    """The nominal UR10 is about a millimetre off when base and tool are fitted."""
    path = recording_file(f"ur10_laser_tracker/{file}")
    check = at.validate("ur10", path, fit_base=True, fit_tool=True)
    assert low < check["position"].mae < high
    assert check.lag is None


def test_bag_with_torques_only_needs_a_limit():
    """A bag of joints and efforts is compared in torque and judged only when a limit is given."""
    path = recording_file("ur10_ros2_bag/ur10_exciting_trajectory.db3")
    check = at.validate("ur10", path)
    assert not check.passed
    assert "no limit is set" in check.verdict
    assert check["tau2"].r2 > 0.85
    assert at.validate("ur10", path, limits=("tau=30Nm",)).passed
    assert not at.validate("ur10", path, limits=("tau=3Nm",)).passed


@pytest.mark.parametrize(
    ("arm", "name", "joints", "fits"),
    [("ur5", UR5_RUNS[1], (1, 2, 3, 4, 5, 6), ()),
     ("ur3e", "ur3e_power/fig9.xlsx", (2, 3), ("tool",)),
     ("ur10", "ur10_laser_tracker/Series_B/measurements_joint_configurations.csv", (2, 3, 4),
      ("base", "tool"))],
)  # fmt: skip
def test_planted_offset_is_named_in_real_runs(arm, name, joints, fits):
    """The joint is named when a real run lacks one degree of it, also with fitted frames."""
    recording = at.read_recording(recording_file(name), arm)
    choices = {f"fit_{frame}": True for frame in fits}
    for joint in joints:
        q = recording.q.copy()
        q[:, joint - 1] -= np.deg2rad(1.0)
        check = at.validate(arm, recording.with_columns({"q": q}), efforts=False, **choices)
        cause = check.causes[0]
        assert (cause.kind, cause.joint) == ("joint offset", joint)
        assert np.rad2deg(cause.value) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("lag", [0.3, -0.3])
def test_planted_lag_is_found_in_real_runs(lag):
    """A lag of 0.3 samples is found within 0.05 when a real run's positions are shifted."""
    from armtwin.recording.slopes import between, local_slopes

    for arm, name in (("ur5", UR5_RUNS[0]), ("ur3e", "ur3e_power/fig9.xlsx")):
        recording = at.read_recording(recording_file(name), arm)
        t, p = recording.time, recording.group("position")
        at_times = np.clip(t - lag / recording.rate, t[0], t[-1])
        later = between(t, p, local_slopes(t, p, 1), at_times)
        check = at.validate(
            arm, recording.with_columns({"position": later}).select("q", "position")
        )
        assert check.lag.samples == pytest.approx(lag, abs=0.05)


def test_command_line_verdict(capsys):
    """The command exits with 0 or 1 and prints the verdict as JSON when asked for it."""
    path = str(recording_file(UR5_RUNS[1]))
    assert run(["validate", "ur5", path, "--json", "--limit", "position=2um"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["passed"] is True
    assert verdict["inputs"][recording_file(UR5_RUNS[1]).name].startswith("sha256:")
    assert run(["validate", "ur5", path, "--json", "--limit", "position=0.1um"]) == 1
    assert json.loads(capsys.readouterr().out)["passed"] is False


@pytest.mark.parametrize(
    ("arm", "file"), [("ur3e", "ur3e_f_erobs.yaml"), ("ur10e", "ur10e_d_pushkar.yaml")]
)
def test_factory_calibration_is_exact(arm, file):
    """Poses equal the product of the file's frames when a factory calibration is applied."""
    from armtwin.model.formats.factory_calibration import read_calibration

    path = recording_file(f"calibrations/{file}")
    nominal, own = at.load(arm), at.with_factory_calibration(at.load(arm), path)
    frames = list(read_calibration(path).values())
    q = np.random.default_rng(0).uniform(-3, 3, (20, 6))
    for joints in q:
        T = np.eye(4)
        for frame, angle in zip(frames, joints, strict=True):
            T = T @ frame @ at.pose(rpy=(0, 0, angle))
        assert np.abs(at.fk(own, joints) - T).max() < 1e-13
    off = np.linalg.norm((at.fk(own, q) - at.fk(nominal, q))[:, :3, 3], axis=1)
    assert 1e-4 < off.mean() < 5e-3
    assert np.abs(at.gravity(own, q) - at.gravity(nominal, q)).max() < 0.3


def test_factory_calibration_of_another_arm_is_refused():
    """The arm that a calibration belongs to is named when it is applied to another one."""
    path = recording_file("calibrations/ur3e_f_erobs.yaml")
    with pytest.raises(at.ArmTwinError, match="near that of ur3e"):
        at.with_factory_calibration(at.load("ur5e"), path)
