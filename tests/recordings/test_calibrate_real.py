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


def halves(recording, seed):
    """Return two recordings with a random half of the rows each."""
    order = np.random.default_rng(seed).permutation(len(recording))
    parts = []
    for rows in np.array_split(order, 2):
        data = {name: values[rows] for name, values in recording.data.items()}
        time = np.arange(float(rows.size))
        parts.append(dataclasses.replace(recording, time=time, data=data, timed=False))
    return parts


@pytest.mark.parametrize(("series", "limit", "stiff"), [("B", 0.40, 0.41), ("D", 0.36, 0.375)])
def test_laser_tracker_held_out(series, limit, stiff):
    """The held-out mean is below its limit [mm] when half of a series was fitted to."""
    train, test = halves(read_recording(recording_file(SERIES[series]), "ur10"), seed=7)
    parts = {"recordings": {"cell": train}, "test": {"cell": test}}
    fit = at.calibrate(at.load("ur10"), **parts)
    rigid = at.calibrate(at.load("ur10"), **parts, compliance=False)
    assert 0.7e-3 < fit.held_out_before.mean < 1.1e-3
    assert fit.held_out.mean <= limit * 1e-3
    assert rigid.held_out.mean <= stiff * 1e-3
    assert fit.held_out.mean < rigid.held_out.mean
    assert fit.chosen == "compliance"
    assert all(c >= 0 for c in fit.compliance)


def test_two_tracker_placements_in_one_call(capsys):
    """Both series are held out below 0.37 mm when the tracker was moved between them."""
    paths = [str(recording_file(SERIES[name])) for name in "BD"]
    assert run(["calibrate", "ur10", *paths, "--hold-out", "0.5", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    means = [placement["held_out"]["mean"] for placement in said["placements"]]
    assert means[0] < 0.37e-3
    assert means[1] < 0.32e-3
    assert said["chosen"] == "compliance"
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
    assert said["errors"]["held_out"]["count"] == 632 - 126
    assert said["errors"]["held_out"]["mean"] < 0.65 * said["errors"]["held_out_before"]["mean"]
    assert any("fitted to 126 of its 632 poses" in note for note in said["notes"])


def test_calibrated_arm_validates(tmp_path, capsys):
    """The arm written by the command line is as good as it said when validated by itself."""
    arm = tmp_path / "mine.toml"
    path = str(recording_file(SERIES["D"]))
    report = tmp_path / "fit.html"
    words = ["calibrate", "ur10", path, "--hold-out", "0.5", "--out", str(arm), "--json"]
    assert run([*words, "--report", str(report)]) == 0
    said = json.loads(capsys.readouterr().out)
    check = at.validate(arm, path, efforts=False)
    assert check["position"].mae < 0.36e-3
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
