"""Recordings of several tracker placements calibrate one arm, each with its own base and tool."""

import dataclasses

import numpy as np
import pytest
from measured_runs import changed, poses_of

import armtwin as at
from armtwin.calibration.data.placements import grouped
from armtwin.cli.main import run
from armtwin.errors import InputError

NOMINAL = at.load("ur10")
NOISE, TURN_NOISE = 3e-5, 3e-5
HERE = {"base": at.pose((1.2, -2.5, 0.4), (0.1, 0.2, 2.0)), "tool": at.pose((0.05, 0, 0.1))}
THERE = {"base": at.pose((-3.0, 0.5, -1.0), (0, 0.1, -1.0)), "tool": at.pose((0, 0.03, 0.15))}
TRUTH = [changed(NOMINAL, seed=3, **frames) for frames in (HERE, THERE)]


def series(which, count=60, seed=0, noise=NOISE):
    """Return poses of the changed arm as the tracker in one of two places saw them."""
    return poses_of(TRUTH[which], count=count, seed=seed, noise=noise, turn_noise=TURN_NOISE)


@pytest.fixture(scope="module")
def fit():
    """A calibration on both placements, a quarter of each held out."""
    return at.calibrate(NOMINAL, [series(0), series(1, seed=1)], compliance=False, hold_out=0.25)


def test_one_arm_serves_both_placements(fit):
    """New poses are predicted to the noise in either placement when both were fitted together."""
    q = np.random.default_rng(9).uniform(-2.5, 2.5, (200, 6))
    for truth, name in zip(TRUTH, ("1", "2"), strict=True):
        distance = (at.fk(fit.arm_at(name), q) - at.fk(truth, q))[:, :3, 3]
        assert np.linalg.norm(distance, axis=1).mean() < NOISE
    assert fit.chosen == "geometry"
    assert fit.passed


def test_every_placement_has_its_own_frames(fit):
    """Base and tool are found for each placement, and named by it, when there are two."""
    for placement, frames in zip(fit.placements, (HERE, THERE), strict=True):
        assert np.abs(np.array(placement.base) - frames["base"]).max() < 5e-3
        assert placement.held_out.count == 15
        assert placement.held_out.mean < 3 * NOISE
    assert {"base_x@1", "base_x@2", "tool_z@2"} <= set(fit.intervals)


def test_groups_share_frames():
    """One base and tool serve two recordings when they are given under one name."""
    given = {"here": [series(0, 30), series(0, 30, seed=2)], "there": series(1, 30)}
    fit = at.calibrate(NOMINAL, given, parameters="frames")
    assert [p.name for p in fit.placements] == ["here", "there"]
    assert [p.after.count for p in fit.placements] == [60, 30]
    with pytest.raises(InputError, match="there are here, there"):
        fit.arm_at("elsewhere")


def test_test_recording_keeps_its_own_placement():
    """A test recording is judged on four fifths of its poses when the tracker stood elsewhere."""
    fit = at.calibrate(NOMINAL, series(0), test=[series(1, seed=1)], parameters="geometry")
    assert fit.held_out.count == 48
    assert fit.held_out.mean < 5 * NOISE
    assert fit.held_out_before.mean > 10 * fit.held_out.mean
    assert "own base and tool fitted to 12 of its 60 poses, tested on 48" in fit.notes[-1]
    assert fit.placements[-1].tested
    with pytest.raises(InputError, match="15 poses are too few to fit a base and tool"):
        at.calibrate(NOMINAL, series(0), test=[series(1, 15)], parameters="frames")


def test_mixed_placements_fail():
    """The result does not pass when two placements are taken for one."""
    mixed = {"one": [series(0), series(1)]}
    fit = at.calibrate(NOMINAL, mixed, parameters="frames")
    assert fit.after.mean > 0.1
    assert not fit.passed
    assert "mean error" in fit.verdict
    assert fit.to_dict()["passed"] is False


@pytest.mark.parametrize(
    ("options", "names"), [({}, "away: "), ({"hold_out": 0.25}, "home, away: ")]
)
def test_failing_test_recording_of_a_group_is_named(options, names):
    """The recordings whose poses are judged are named when a test in their group fails."""
    home, away = (
        dataclasses.replace(series(which), origin=name)
        for which, name in enumerate(("home", "away"))
    )
    fit = at.calibrate(NOMINAL, {"cell": home}, test={"cell": away}, parameters="frames", **options)
    assert not fit.passed
    assert fit.failures[0].startswith(names)
    assert fit.placements[0].recordings == ("home",)


def test_bound_can_be_given():
    """A result passes or not by the bound when one is given."""
    poses = series(0, noise=1e-3)
    assert at.calibrate(NOMINAL, poses, parameters="frames", largest_error=0.01).passed
    assert not at.calibrate(NOMINAL, poses, parameters="frames", largest_error=1e-4).passed
    with pytest.raises(InputError, match="largest error"):
        at.calibrate(NOMINAL, poses, largest_error=0.0)


def test_dropped_rows_are_printed(tmp_path, capsys):
    """Count and reason are printed when two thirds of a series lack a position."""
    poses = series(0)
    x = poses["x"].copy()
    x[20:] = np.nan
    path = poses.with_columns({"x": x}).save(tmp_path / "sparse.csv")
    assert run(["calibrate", "ur10", str(path), "--parameters", "frames"]) == 0
    text = capsys.readouterr().out
    assert "40 of 60 rows dropped, a value is missing: the position in 40" in text


@pytest.mark.parametrize("name", ["cell", "elsewhere"])
def test_dropped_rows_of_test_recordings_are_noted(name):
    """Count and reason are noted when rows of a test recording lack a position."""
    tested = series(0, seed=3)
    x = tested["x"].copy()
    x[:5] = np.nan
    tested = tested.with_columns({"x": x})
    fit = at.calibrate(NOMINAL, {"cell": series(0)}, test={name: tested}, parameters="frames")
    assert any("5 of 60 rows dropped, a value is missing" in note for note in fit.notes)


def test_groups_of_the_command_line(tmp_path):
    """Files are numbered by placement when some share one, and unknown files are refused."""
    a, b, c, d = (tmp_path / name for name in "abcd")
    fitted, tests = grouped([a, b, c], [d], [f"{a},{c}"])
    assert fitted == {"1": [a, c], "2": [b]}
    assert tests == {"test 1": [d]}
    assert grouped([a, b], [d], [f"{b},{d}"]) == ({"1": [a], "2": [b]}, {"2": [d]})
    assert grouped([a, b], [d], ["all"]) == ({"1": [a, b]}, {"1": [d]})
    with pytest.raises(InputError, match="which is not given"):
        grouped([a], [], [f"{a},{b}"])
    with pytest.raises(InputError, match="two groups"):
        grouped([a, b], [], [f"{a},{b}", str(a)])
