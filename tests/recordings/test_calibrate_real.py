"""Calibration on measured poses of real arms, judged on poses that were not fitted to."""

import dataclasses
import json

import numpy as np
import pytest
from data_folder import recording_file

import armtwin as at
from armtwin.cli.main import run
from armtwin.recording.read import read_recording

SERIES = {
    "B": "ur10_laser_tracker/Series_B/measurements_joint_configurations.csv",
    "D": "ur10_laser_tracker/Series_D/measurements_iso_cubes.csv",
}


def rows_of(recording, rows):
    """Return a recording of some rows, without a clock."""
    data = {name: values[rows] for name, values in recording.data.items()}
    return dataclasses.replace(recording, time=np.arange(float(len(rows))), data=data, timed=False)


@pytest.fixture(scope="module", params=[("B", 0.10), ("D", 0.11)], ids=["B", "D"])
def half(request):
    """A calibration on half of a series, and the limit of its held-out mean [mm]."""
    series, limit = request.param
    return at.calibrate("ur10", recording_file(SERIES[series]), hold_out=0.5), limit


def test_laser_tracker_held_out(half):
    """The held-out mean is below its limit when half of the distinct poses was fitted to."""
    fit, limit = half
    trials = {trial.name: trial.left_out.mean for trial in fit.trials}
    assert 0.7e-3 < fit.held_out_before.mean < 1.1e-3
    assert 0.28e-3 < trials["compliance"] < trials["geometry"] < 0.41e-3
    assert fit.chosen == "curves"
    assert fit.held_out.mean <= limit * 1e-3
    assert all(c >= 0 for c in fit.compliance)


def test_gear_errors_of_real_joints(half):
    """Curves of 0.2 to 0.5 mrad RMS are found, with visited ranges, when gears are strain waves."""
    fit, _ = half
    assert all(0.1e-3 < curve.rms < 0.5e-3 for curve in fit.curves[:5])
    assert all(curve.determined > 10 for curve in fit.curves[:5])
    assert all(joint.error_curve.visited for joint in fit.arm.driven)


@pytest.mark.parametrize(("first", "other", "limit"), [("B", "D", 0.20), ("D", "B", 0.19)])
def test_curves_hold_after_the_tracker_was_moved(first, other, limit):
    """The other series is predicted below the limit [mm] when 60 of its poses gave its frames."""
    fit = at.calibrate("ur10", recording_file(SERIES[first]), parameters="curves")
    series = read_recording(recording_file(SERIES[other]), "ur10")
    order = np.random.default_rng(1).permutation(len(series))
    parts = [{"cell": rows_of(series, rows)} for rows in (order[:60], order[60:])]
    errors = [
        at.calibrate(arm, parts[0], test=parts[1], parameters="frames").held_out.mean
        for arm in (fit.arm.without_error_curves(), fit.arm)
    ]
    assert errors[1] < limit * 1e-3
    assert errors[1] < 0.7 * errors[0]


def test_two_tracker_placements_in_one_call(capsys):
    """Both series are held out below 0.11 mm when the tracker was moved between them."""
    paths = [str(recording_file(SERIES[name])) for name in "BD"]
    assert run(["calibrate", "ur10", *paths, "--hold-out", "0.5", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    means = [placement["held_out"]["mean"] for placement in said["placements"]]
    assert means[0] < 0.10e-3
    assert means[1] < 0.11e-3
    assert said["chosen"] == "curves"
    assert said["placements"][0]["base"] != said["placements"][1]["base"]


def test_mixed_placements_do_not_pass(tmp_path, capsys):
    """The command exits with 1 and writes no arm when two placements are taken for one."""
    paths = [str(recording_file(SERIES[name])) for name in "BD"]
    arm = tmp_path / "mixed.toml"
    words = ["calibrate", "ur10", *paths, "--group", ",".join(paths), "--out", str(arm)]
    assert run([*words, "--parameters", "frames"]) == 1
    assert "NOT PASSED" in capsys.readouterr().out
    assert not arm.exists()


def test_other_series_is_tested_in_its_own_frames(capsys):
    """The other series is predicted within a millimetre when it has frames of its own."""
    paths = [str(recording_file(SERIES[name])) for name in "BD"]
    words = ["calibrate", "ur10", paths[0], "--test", paths[1], "--json"]
    assert run([*words, "--parameters", "geometry"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["errors"]["held_out"]["count"] == 496
    assert said["errors"]["held_out"]["mean"] < 0.65 * said["errors"]["held_out_before"]["mean"]
    assert any("fitted to 136 of its 632 poses" in note for note in said["notes"])


def test_calibrated_arm_validates(tmp_path, capsys):
    """The arm written by the command line is as good as it said when validated by itself."""
    arm = tmp_path / "mine.toml"
    path = str(recording_file(SERIES["D"]))
    report = tmp_path / "fit.html"
    words = ["calibrate", "ur10", path, "--hold-out", "0.5", "--out", str(arm), "--json"]
    assert run([*words, "--report", str(report)]) == 0
    said = json.loads(capsys.readouterr().out)
    check = at.validate(arm, path, efforts=False)
    assert check["position"].mae < 0.11e-3
    assert check["position"].mae == pytest.approx(
        (said["errors"]["after"]["mean"] + said["errors"]["held_out"]["mean"]) / 2, rel=0.02
    )
    assert report.stat().st_size > 1e6


@pytest.mark.parametrize("part", ["blocks", "first half", "last half"])
def test_ur3e_finds_the_controllers_own_geometry(part):
    """The held-out half agrees within 0.05 mm when the other half of one motion was fitted to."""
    whole = read_recording(recording_file("ur3e_power/fig9.xlsx"), "ur3e")
    whole = whole.select("q", "position", "rotation_vector")
    if part == "blocks":
        fit = at.calibrate(at.load("ur3e"), whole, hold_out=0.5)
    else:
        middle = whole.time[len(whole) // 2]
        parts = [whole.slice(whole.time[0], middle), whole.slice(middle, whole.time[-1])]
        parts = parts if part == "first half" else parts[::-1]
        fit = at.calibrate(at.load("ur3e"), {"cell": parts[0]}, test={"cell": parts[1]})
    assert fit.held_out.rms <= 0.05e-3
    assert fit.held_out.rms < 1e-6
    assert fit.held_out_before.rms > 0.2e-3
    base = {p.name: p.value for p in fit.parameters if p.name.startswith("base")}
    assert abs(base["base_x"]) < 1e-6
    assert abs(base["base_roll"]) < 1e-6


def test_desktop_points():
    """Left-out points come nearer when the desktop arm is calibrated, if by little."""
    from armtwin.reproduce.desktop_arm.tables import reproduce

    results = {r.name: r for r in reproduce().results}
    before = results["RMS distance of the 24 measured points"].value
    left_out = next(r for name, r in results.items() if "left out of a calibration" in name)
    assert before == pytest.approx(4.60, abs=0.005)
    assert left_out.value < before
    assert left_out.holds
