"""Planted joint error curves are found by calibration, compensated, and planned for."""

import dataclasses

import numpy as np
import pytest
from measured_runs import changed, poses_of

import armtwin as at
from armtwin.calibration.curves.summary import visited_ranges
from armtwin.calibration.fit.harmonics import coefficients, harmonics
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.model.error_curve import ErrorCurve

NOMINAL = at.load("ur10")
TERMS = 25


def with_planted_curves(arm, seed=5):
    """Return the arm with curves of 0.3 mrad RMS and orders up to 25, as those of real gears."""
    rng = np.random.default_rng(seed)
    sizes = 1.2e-4 / (1 + (np.arange(1, TERMS + 1) / 20) ** 2)
    joints = []
    for joint in arm.joints:
        a, b = rng.normal(size=(2, TERMS)) * sizes
        curve = ErrorCurve(tuple(a.tolist()), tuple(b.tolist()))
        joints.append(dataclasses.replace(joint, error_curve=curve))
    return arm.with_(joints=tuple(joints))


TRUTH = with_planted_curves(changed(NOMINAL, tool=at.pose((0.05, 0, 0.1))))


@pytest.fixture(scope="module")
def fit():
    """A calibration on 300 poses of an arm with planted geometry and curves."""
    q = np.random.default_rng(0).uniform(-2.5, 2.5, (300, 6))
    q[:, 5] = np.random.default_rng(1).uniform(-1.0, 0.5, 300)
    poses = poses_of(TRUTH, q=q, noise=2e-5, turn_noise=5e-5)
    return at.calibrate(NOMINAL, poses, compliance=False)


def test_planted_curves_are_found(fit):
    """New poses are predicted ten times better than by geometry alone when gears have errors."""
    q = np.random.default_rng(9).uniform(-2.4, 2.4, (300, 6))
    q[:, 5] = np.random.default_rng(8).uniform(-0.9, 0.4, 300)
    distance = np.linalg.norm((at.fk(fit.arm, q) - at.fk(TRUTH, q))[:, :3, 3], axis=1)
    geometry = next(trial for trial in fit.trials if trial.name == "geometry")
    assert fit.chosen == "curves"
    assert geometry.left_out.mean > 3e-4
    assert distance.mean() < 0.1 * geometry.left_out.mean
    assert fit.left_out.mean < 0.15 * geometry.left_out.mean


def test_intervals_of_the_curves_hold_the_truth(fit):
    """The 95 % band holds the planted curve at nine in ten angles when it was measured there."""
    hits = []
    for curve, values in zip(fit.curves, coefficients(TRUTH), strict=True):
        planted = harmonics(curve.angle, TERMS) @ values
        inside = visited(curve)
        gap = (planted - curve.error)[inside]
        hits.append(np.abs(gap - gap.mean()) <= curve.half_width[inside])
        assert curve.rms == pytest.approx(np.sqrt((planted[inside] ** 2).mean()), rel=0.25)
    assert 0.88 < np.mean(np.concatenate(hits)) <= 1.0


def test_coefficients_have_intervals(fit):
    """Every coefficient has an interval that mostly holds the planted one."""
    truth = coefficients(TRUTH, 60)
    found = [p for p in fit.parameters if p.name.startswith("curve")]
    assert len(found) >= 6 * 2 * 30
    hits = []
    for p in found:
        joint, wave = p.name[5:].split("_")
        order = int(wave[3:])
        planted = truth[int(joint) - 1, order - 1 + 60 * (wave[:3] == "sin")]
        hits.append(p.low <= planted <= p.high)
    assert np.mean(hits) > 0.9


def test_curve_is_near_zero_where_nothing_was_measured(fit):
    """The curve of joint 6 stays small, with a wide band, at angles that were never visited."""
    curve = fit.curves[5]
    assert curve.visited[0][0] == pytest.approx(-1.0, abs=0.05)
    assert curve.visited[-1][1] == pytest.approx(0.5, abs=0.05)
    far = np.abs(curve.angle) > 2.0
    inside = visited(curve)
    assert np.abs(curve.error[far]).max() < 0.5 * np.abs(curve.error[inside]).max()
    assert (np.abs(curve.error[far]) < curve.half_width[far]).all()
    assert np.median(curve.half_width[far]) > 2 * np.median(curve.half_width[inside])
    assert fit.arm.driven[5].error_curve.visited == curve.visited
    assert curve.determined < 0.5 * curve.coefficients


def visited(curve):
    """Return which angles of a curve were measured."""
    return np.any([(a <= curve.angle) & (curve.angle <= b) for a, b in curve.visited], axis=0)


def test_page_shows_the_curves(fit):
    """The page has a panel per joint and the data lists the curves when they were fitted."""
    section = next(s for s in fit.page().sections if s.title == "Joint error curves")
    assert len(section.parts[0].panels) == 6
    assert [curve["joint"] for curve in fit.to_dict()["curves"]] == [1, 2, 3, 4, 5, 6]
    assert any(shade.name == "not measured" for shade in section.parts[0].panels[5].shades)


def test_no_curves_without_gear_errors():
    """No curves are chosen when the arm has none, or when they are excluded."""
    plain = changed(NOMINAL, tool=at.pose((0.05, 0, 0.1)))
    poses = poses_of(plain, count=100, noise=3e-5, turn_noise=3e-5)
    assert at.calibrate(NOMINAL, poses, compliance=False).chosen == "geometry"
    poses = poses_of(TRUTH, count=100, noise=3e-5, turn_noise=3e-5)
    assert at.calibrate(NOMINAL, poses, compliance=False, curves=False).chosen == "geometry"


def test_derivatives_by_coefficients_equal_differences():
    """The columns of the coefficients equal differences of poses."""
    model = GeometryModel(NOMINAL, terms=3)
    q = np.random.default_rng(2).uniform(-2, 2, (4, 6))
    changes = np.zeros(len(model.parameters))
    _, J = model.poses(q, np.zeros_like(q), changes)
    for k in model.indices(("curves",))[::5]:
        step = np.zeros_like(changes)
        step[k] = 1e-6
        up, down = (model.poses(q, np.zeros_like(q), s)[0] for s in (step, -step))
        assert np.abs((up - down)[:, :3, 3] / 2e-6 - J[:, :3, k]).max() < 1e-8


def test_repeated_poses_stay_together():
    """A pose that was measured twice is never both fitted and held out."""
    from armtwin.calibration.data.measurements import gather, split

    q = np.repeat(np.random.default_rng(3).uniform(-2, 2, (40, 6)), 2, axis=0)
    q += np.random.default_rng(4).normal(0, 1e-4, q.shape)
    measured = gather(NOMINAL, [poses_of(NOMINAL, q=q)])
    train, held = split(measured, 0.5)
    assert np.unique(measured.block).size == 40
    assert not set(measured.block[train]) & set(measured.block[held])
    assert 30 <= held.size <= 50


def test_visited_ranges_close_over_the_turn():
    """Ranges are cut at gaps and joined over half a turn when angles lie on both sides of it."""
    q = np.concatenate([np.arange(2.0, 4.0, 0.05), np.arange(-1.0, -0.5, 0.05)])
    ranges = visited_ranges(q)
    assert ranges[0][0] == -np.pi
    assert ranges[-1][1] == np.pi
    assert len(ranges) == 3


def test_compensated_targets_reach_the_nominal_poses(tmp_path, numpy_target):
    """The real arm's flange is at the nominal pose when it runs the corrected program."""
    real = dataclasses.replace(TRUTH, name="ur10-calibrated")
    path = at.export(real, tmp_path / "real.toml")
    q = np.random.default_rng(6).uniform(-1.5, 1.5, (30, 6))
    q[:, 4] = np.random.default_rng(7).uniform(0.4, 2.0, 30)
    program = at.Recording.of(np.arange(30.0), {"q": q}, arm="ur10")
    program.save(tmp_path / "program.csv")
    found = at.compensate(tmp_path / "program.csv", path)
    saved = at.read_recording(found.corrected.save(tmp_path / "corrected.csv"), real)
    bare = {"base": np.eye(4), "tool": np.eye(4)}
    wanted = at.fk(NOMINAL.with_(**bare), q)
    before, after = (at.fk(real.with_(**bare), x) - wanted for x in (q, saved.q))
    assert np.linalg.norm(before[:, :3, 3], axis=1).mean() > 5e-4
    assert np.abs(after).max() < 1e-8
    assert found.errors.mean() == pytest.approx(np.linalg.norm(before[:, :3, 3], axis=1).mean())


def test_compensation_names_angles_without_measurements(numpy_target):
    """A note names the joint when targets lie outside the angles that its curve was measured at."""
    joints = list(TRUTH.joints)
    curve = dataclasses.replace(joints[1].error_curve, visited=((-1.0, 0.5),))
    joints[1] = dataclasses.replace(joints[1], error_curve=curve)
    q = np.array([[0.1, -0.5, 1.0, 0.2, 1.2, 0.3], [0.1, -1.5, 1.0, 0.2, 1.2, 0.3]])
    program = at.Recording.of(np.arange(2.0), {"q": q})
    found = at.compensate(program, TRUTH.with_(joints=tuple(joints)), nominal="ur10")
    assert len(found.notes) == 1
    assert found.notes[0].startswith("joint 2: 1 of 2 targets")


@pytest.fixture(scope="module")
def plan():
    """A plan of 60 poses."""
    return at.plan_poses("ur10", 60, seed=2)


def test_planned_poses_are_better_than_random_ones(plan):
    """The expected error is smaller when planned poses are measured instead of random ones."""
    assert plan.q.shape == (60, 6)
    assert (plan.q >= NOMINAL.lower).all() and (plan.q <= NOMINAL.upper).all()
    assert len({tuple(q) for q in plan.q.round(6).tolist()}) == 60
    assert plan.expected < 0.85 * plan.random < plan.before
    more = at.plan_poses("ur10", 10, measured=poses_of(NOMINAL, count=100), seed=1)
    assert more.measured == 100
    assert more.expected < more.before < 1e-3


def test_plan_on_the_command_line(tmp_path, capsys):
    """The plan is written as a table of joints when --plan is given without recordings."""
    from armtwin.cli.main import run

    out = tmp_path / "poses.csv"
    assert run(["calibrate", "ur10", "--plan", "8", "--out", str(out)]) == 0
    assert "Poses to measure" in capsys.readouterr().out
    assert at.read_recording(out, NOMINAL).q.shape == (8, 6)
    assert run(["calibrate", "ur10"]) == 2
    assert run(["calibrate", "ur10", "--plan", "0"]) == 2


def test_planned_poses_give_a_better_arm(plan, numpy_target):
    """The calibrated arm is nearer to the truth when its poses were planned, not random."""
    random = np.random.default_rng(2).uniform(-np.pi, np.pi, (60, 6))
    tests = np.random.default_rng(3).uniform(-np.pi, np.pi, (200, 6))
    errors = []
    for q in (plan.q, random):
        poses = poses_of(TRUTH, q=q, noise=2e-5, turn_noise=5e-5)
        fit = at.calibrate(NOMINAL, poses, parameters="curves", compliance=False)
        gap = at.fk(fit.arm, tests) - at.fk(TRUTH, tests)
        errors.append(np.linalg.norm(gap[:, :3, 3], axis=1).mean())
    assert errors[0] < errors[1]
