"""Planted geometry is found again by calibration, with honest intervals."""

import dataclasses

import numpy as np
import pytest
from measured_runs import changed, poses_of, run_of

import armtwin as at
from armtwin.calibration.data.measurements import gather
from armtwin.calibration.fit.pose_model import GeometryModel

NOMINAL = at.load("ur10")
NOISE, TURN_NOISE = 3e-5, 3e-5

FRAMES = {"base": at.pose((1.2, -2.5, 0.4), (0.1, 1.5, 2.0)), "tool": at.pose((0.05, 0, 0.1))}
TRUTH = changed(NOMINAL, **FRAMES)


@pytest.fixture(scope="module")
def fit():
    """A calibration on 150 poses of a changed arm, seen from an unknown base."""
    poses = poses_of(TRUTH, count=150, noise=NOISE, turn_noise=TURN_NOISE)
    return at.calibrate(NOMINAL, poses, compliance=False)


def test_predicts_new_poses(fit):
    """New poses are predicted far better than the noise when all geometry was changed."""
    q = np.random.default_rng(9).uniform(-2.5, 2.5, (500, 6))
    distance = np.linalg.norm((at.fk(fit.arm, q) - at.fk(TRUTH, q))[:, :3, 3], axis=1)
    assert fit.chosen == "geometry"
    assert distance.mean() < NOISE
    assert fit.before.mean > 1e-3


def test_intervals_hold_the_truth(fit):
    """Nine in ten 95 % intervals hold the planted number when the noise is as assumed."""
    truth = {f"{name}{k}": getattr(joint, name) for k, joint in enumerate(TRUTH.joints, 1)
             for name in ("a", "alpha", "theta")}  # fmt: skip
    held = {u.name for u in fit.unidentifiable}
    rows = [p for p in fit.parameters if p.name in truth and p.name not in held]
    assert len(rows) >= 12
    hits = [p.low <= truth[p.name] <= p.high for p in rows]
    assert np.mean(hits) >= 0.8
    assert all(p.high - p.low < 1e-3 for p in rows)


def test_names_what_cannot_be_distinguished(fit):
    """Each redundant number is named with what acts like it when the arm has parallel axes."""
    like = {u.name: dict(u.like) for u in fit.unidentifiable}
    assert like["d1"] == pytest.approx({"base_z": 1.0}, abs=1e-6)
    assert like["theta1"] == pytest.approx({"base_yaw": 1.0}, abs=1e-6)
    assert like["d2"] == pytest.approx({"d4": 1.0}, abs=1e-6)
    assert like["d3"] == pytest.approx({"d4": 1.0}, abs=1e-6)
    assert like["theta6"] == pytest.approx({"tool_yaw": 1.0}, abs=1e-6)
    assert all(u.exact for u in fit.unidentifiable)


def test_interval_of_numbers_with_the_same_effect(fit):
    """The interval of d4 holds the sum of the changes of d2, d3 and d4 when axes are parallel."""
    changes = [TRUTH.joints[k].d - NOMINAL.joints[k].d for k in (1, 2, 3)]
    low, high = np.array(fit.intervals["d4"]) - NOMINAL.joints[3].d
    assert low <= sum(changes) <= high
    assert not low <= changes[2] <= high


@pytest.mark.parametrize("seed", [3, 8, 11, 12])
def test_intervals_of_a_small_range_of_joints(seed):
    """Intervals hold the planted numbers when poses do not separate them from held ones."""
    arm = at.load("ur5e")
    truth = changed(arm, seed=seed, length=2e-3, angle=6e-3, **FRAMES)
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.8, 0.8, 6) + rng.uniform(-0.15, 0.15, (40, 6))
    poses = poses_of(truth, noise=1e-4, seed=seed, orientation=False, q=q)
    fit = at.calibrate(arm, poses, parameters="geometry", compliance=False)
    assert any(not u.exact for u in fit.unidentifiable)
    for k, joint in enumerate(truth.joints, 1):
        for name in {f"{x}{k}" for x in ("a", "alpha", "theta")} & set(fit.intervals):
            low, high = fit.intervals[name]
            assert low <= getattr(joint, name[:-1]) <= high, name


def test_held_numbers_stay_nominal(fit):
    """Numbers that were held keep their nominal value when the arm is written."""
    assert fit.arm.joints[0].d == NOMINAL.joints[0].d
    assert fit.arm.joints[1].d == NOMINAL.joints[1].d


def test_calibrated_arm_is_loaded_again(fit, tmp_path):
    """The improved arm gives the same poses when it is written as TOML and loaded."""
    path = at.export(fit.arm, tmp_path / "mine.toml")
    q = np.random.default_rng(1).uniform(-2, 2, (50, 6))
    assert np.abs(at.fk(at.load(path), q) - at.fk(fit.arm, q)).max() < 1e-12


def test_outliers_do_not_matter():
    """The fit stays as good when one pose in twenty is centimetres off."""
    poses = poses_of(TRUTH, count=200, noise=NOISE, turn_noise=TURN_NOISE)
    x = poses["x"].copy()
    x[::20] += 0.03
    fit = at.calibrate(NOMINAL, poses.with_columns({"x": x}), compliance=False)
    q = np.random.default_rng(9).uniform(-2.5, 2.5, (500, 6))
    distance = np.linalg.norm((at.fk(fit.arm, q) - at.fk(TRUTH, q))[:, :3, 3], axis=1)
    assert distance.mean() < 2 * NOISE


def test_tilt_of_parallel_axes_is_found():
    """An exact tilt between parallel axes is found when DH numbers alone cannot hold it."""
    model = GeometryModel(NOMINAL)
    changes = np.zeros(len(model.parameters))
    places = {p.name: k for k, p in enumerate(model.parameters)}
    changes[places["beta2"]], changes[places["alpha3"]] = 1.5e-3, -1e-3
    truth = model.arm_with(changes)
    fit = at.calibrate(NOMINAL, poses_of(truth, count=80), compliance=False)
    found = {p.name: p.value for p in fit.parameters}
    assert found["beta2"] == pytest.approx(1.5e-3, abs=1e-8)
    assert found["alpha3"] == pytest.approx(-1e-3, abs=1e-8)
    assert fit.left_out.mean < 1e-9


@pytest.mark.parametrize("convention", ["modified-dh", "screws"])
def test_any_convention(convention):
    """The fit is the same when the arm is given in another convention."""
    arm = at.convert(NOMINAL, convention)
    poses = poses_of(TRUTH, count=120, noise=NOISE, turn_noise=TURN_NOISE)
    fit = at.calibrate(arm, poses, compliance=False)
    q = np.random.default_rng(9).uniform(-2.5, 2.5, (200, 6))
    distance = np.linalg.norm((at.fk(fit.arm, q) - at.fk(TRUTH, q))[:, :3, 3], axis=1)
    assert distance.mean() < 2 * NOISE


def test_compliance_is_found_and_kept_in_the_file(tmp_path):
    """Planted compliances are found when the arm sags, and come back from the arm's file."""
    bent = tuple(
        dataclasses.replace(joint, compliance=c)
        for joint, c in zip(NOMINAL.joints, (0, 2e-5, 1e-5, 0, 0, 0), strict=True)
    )
    truth = NOMINAL.with_(joints=bent, tool=FRAMES["tool"])
    fit = at.calibrate(NOMINAL, poses_of(truth, count=150, noise=1e-5, turn_noise=1e-5))
    assert fit.chosen == "compliance"
    assert fit.compliance[1] == pytest.approx(2e-5, abs=1e-6)
    assert fit.compliance[2] == pytest.approx(1e-5, abs=1e-6)
    again = at.load(at.export(fit.arm, tmp_path / "bent.toml"))
    assert [j.compliance for j in again.driven] == list(fit.compliance)
    q = np.random.default_rng(5).uniform(-2.5, 2.5, (100, 6))
    distance = np.linalg.norm((at.fk(again, q) - at.fk(truth, q))[:, :3, 3], axis=1)
    assert distance.max() < 5e-5


def test_sagging_jacobian_equals_differences():
    """The Jacobian equals differences of poses when joints bend under gravity."""
    joints = tuple(dataclasses.replace(joint, compliance=1e-4) for joint in NOMINAL.joints)
    arm = NOMINAL.with_(joints=joints)
    q, step = np.random.default_rng(0).uniform(-2, 2, 6), 1e-6
    J = at.jacobian(arm, q)[:3]
    moves = [(at.fk(arm, q + step * e) - at.fk(arm, q - step * e))[:3, 3] for e in np.eye(6)]
    assert np.abs(np.stack(moves, axis=1) / (2 * step) - J).max() < 1e-8
    stiff = at.fk(NOMINAL, q)[:3, 3]
    assert 1e-4 < np.linalg.norm(at.fk(arm, q)[:3, 3] - stiff) < 0.1
    assert at.ik(arm, at.fk(arm, q), seed=q).residuals.max() < 1e-9


def test_positions_alone():
    """Geometry is found when only positions were measured; the tool's turn is named as unseen."""
    truth = changed(NOMINAL, seed=4, tool=at.pose((0.05, 0.02, 0.1)))
    start = NOMINAL.with_(tool=at.pose((0.05, 0.02, 0.1)))
    fit = at.calibrate(start, poses_of(truth, count=200, noise=2e-5, orientation=False))
    q = np.random.default_rng(9).uniform(-2.5, 2.5, (300, 6))
    distance = np.linalg.norm((at.fk(fit.arm, q) - at.fk(truth, q))[:, :3, 3], axis=1)
    assert distance.mean() < 5e-5
    assert {"tool_roll", "tool_pitch", "tool_yaw"} <= {u.name for u in fit.unidentifiable}


def test_noise_alone_changes_nothing():
    """The nominal arm is kept when the measurements differ from it by noise only."""
    fit = at.calibrate(NOMINAL, poses_of(NOMINAL, count=30, noise=1e-3, turn_noise=1e-3))
    assert fit.chosen in ("as given", "single")
    assert fit.left_out.rms <= fit.before.rms
    assert fit.nested_left_out is None or fit.nested_left_out.rms > 0.98 * fit.before.rms


def test_left_out_errors_equal_refits():
    """Errors of left-out poses equal those of repeated fits when the problem is nearly linear."""
    poses = poses_of(TRUTH, count=40, noise=1e-4, turn_noise=1e-4)
    options = {"parameters": "geometry"}
    whole = at.calibrate(NOMINAL, poses, **options)
    left = []
    for row in range(0, 40, 8):
        others = {name: np.delete(poses[name], row) for name in poses.columns}
        one = dataclasses.replace(poses, time=np.arange(39.0), data=others)
        fit = at.calibrate(NOMINAL, one, **options)
        q = poses.q[row]
        left.append(np.linalg.norm(at.fk(fit.arm, q)[:3, 3] - poses.group("position")[row]))
    short = np.linalg.norm(whole.errors[1][::8, :3], axis=1)
    assert np.mean(left) > np.mean(short)
    assert whole.left_out.mean == pytest.approx(np.mean(left), rel=0.35)


def test_timed_run_is_cut_into_blocks():
    """Rows of one stretch stay together when a timed run is split for a test."""
    from armtwin.calibration.data.measurements import split

    measured = gather(NOMINAL, [run_of(NOMINAL, rows=1000)])
    train, held = split(measured, 0.5)
    assert abs(held.size - 500) <= 50
    assert not set(measured.block[train]) & set(measured.block[held])
