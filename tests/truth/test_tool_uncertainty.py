"""Monte-Carlo of a calibration against planted covariances, plain draws and a planted arm."""

import dataclasses
import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from strict_arrays import StrictDevice

import armtwin as at
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.calibration.geometry_posterior import GeometryPosterior
from armtwin.cli.main import run
from armtwin.errors import InputError
from armtwin.workspace import tool_uncertainty as module

POSES = np.random.default_rng(2).uniform(-2.5, 2.5, (40, 6))
NOISE = 1e-4


def measured(arm, seed):
    """Return a recording of 60 poses of an arm, with noise on the positions."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-2.5, 2.5, (60, 6))
    seen = at.tool_coordinates(arm, q)
    position = seen.position + rng.normal(0, NOISE, (60, 3))
    groups = {"q": q, "position": position, "quaternion": seen.quaternion}
    return at.Recording.of(np.arange(60.0), groups)


@pytest.fixture(scope="module")
def real():
    """Return an arm whose lengths and joint zeros differ from those of a UR10."""
    nominal = at.load("ur10")
    joints = [
        dataclasses.replace(j, a=j.a + 3e-4 * bool(j.a), theta=j.theta + 1e-3)
        for j in nominal.joints
    ]
    return nominal.with_(joints=tuple(joints))


@pytest.fixture(scope="module")
def fit(real):
    """Return the calibration of a UR10 to that arm."""
    options = {"parameters": "lengths", "compliance": False, "curves": False}
    return at.calibrate("ur10", [measured(real, 0)], **options)


@pytest.fixture(scope="module")
def planted(fit):
    """Return the calibration with a planted covariance of lengths, angles, frames and curves."""
    model = GeometryModel(at.load("ur10"), terms=3)
    groups = ("lengths", "offsets", "tool", "curves")
    free = tuple(model.indices(groups))
    sizes = np.array([3e-4 if model.parameters[k].unit == "m" else 5e-4 for k in free])
    mix = np.random.default_rng(1).normal(size=(len(free), len(free)))
    correlated = mix @ mix.T / len(free)
    changes = np.zeros(len(model.parameters))
    changes[list(free)] = np.random.default_rng(5).normal(0, sizes)
    posterior = GeometryPosterior(model, free, changes, correlated * np.outer(sizes, sizes))
    return dataclasses.replace(fit, posterior=posterior)


def screw_motion(z_angle, z_shift, x_shift, x_angle):
    """Return rotation about and shift along z, then along and about x (n, 4, 4), row by row."""
    n = len(z_angle)
    T = np.tile(np.eye(4), (n, 1, 1))
    c, s, ca, sa = np.cos(z_angle), np.sin(z_angle), np.cos(x_angle), np.sin(x_angle)
    T[:, 0] = np.stack([c, -s * ca, s * sa, x_shift * c], axis=1)
    T[:, 1] = np.stack([s, c * ca, -c * sa, x_shift * s], axis=1)
    T[:, 2] = np.stack([0 * c, sa, ca, z_shift + 0 * c], axis=1)
    return T


def plain_poses(posterior, drawn, q):
    """Return the tool of every draw at one pose by products of DH matrices (n, 4, 4)."""
    model = posterior.model
    assert model.arm.convention == "standard-dh"
    terms = np.arange(1, 4)
    T = np.tile(np.eye(4), (len(drawn), 1, 1))
    values = {p.name: drawn[:, k] + p.nominal for k, p in enumerate(model.parameters)}
    number = 0
    for joint in model.arm.joints:
        if joint.kind == "fixed":  # a tilt between parallel axes, which is not drawn
            ones = np.ones(len(drawn))
            T = T @ screw_motion(joint.theta * ones, joint.d, joint.a * ones, joint.alpha * ones)
            continue
        number += 1
        waves = np.concatenate([np.cos(terms * q[number - 1]), np.sin(terms * q[number - 1])])
        names = [f"curve{number}_{w}{k}" for w in ("cos", "sin") for k in terms]
        angle = q[number - 1] + sum(w * values[n] for w, n in zip(waves, names, strict=True))
        a, alpha, d, theta = (values[f"{n}{number}"] for n in ("a", "alpha", "d", "theta"))
        T = T @ screw_motion(angle + theta, d, a, alpha)
    moved = np.tile(np.eye(4), (len(drawn), 1, 1))
    moved[:, :3, 3] = np.stack([values[f"tool_{k}"] for k in "xyz"], axis=1)
    turns = np.stack([values[f"tool_{k}"] for k in ("roll", "pitch", "yaw")], axis=1)
    moved[:, :3, :3] = Rotation.from_euler("xyz", turns).as_matrix()
    return model.bases[0] @ T @ moved @ model.tools[0]


@pytest.fixture(scope="module")
def plain(planted):
    """Return the errors of 700 plain draws at every pose (poses, draws, 3) and their angles."""
    posterior = planted.posterior
    drawn = posterior.draws(700, np.random.default_rng(4))
    errors, angles = [], []
    for q in POSES:
        T0 = plain_poses(posterior, posterior.changes[None], q)[0]
        T = plain_poses(posterior, drawn, q)
        errors.append(T[:, :3, 3] - T0[:3, 3])
        turn = Rotation.from_matrix(T[:, :3, :3] @ T0[:3, :3].T)
        angles.append(turn.magnitude())
    return np.array(errors), np.array(angles)


def test_draws_are_exact(planted, plain):
    """Mean, products, angles and figures of every arm equal those of plain draws of DH matrices."""
    found = at.tool_uncertainty(planted, draws=700, poses=POSES, seed=4)
    errors, angles = plain
    close = {"rtol": 1e-7, "atol": 1e-12}
    np.testing.assert_allclose(found.bias, errors.mean(axis=1), **close)
    products = np.einsum("pdi,pdj->pij", errors, errors) / 700
    np.testing.assert_allclose(found.second_moment, products, rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(found.turn_rms, np.sqrt((angles**2).mean(axis=1)), **close)
    distance = np.linalg.norm(errors, axis=2)
    np.testing.assert_allclose(found.arm_rms, np.sqrt((distance**2).mean(axis=0)), **close)
    np.testing.assert_allclose(found.arm_max, distance.max(axis=0), **close)


def test_ellipsoid_of_a_planted_covariance(planted):
    """Ellipsoids are those of J C J^T, by differences of plain poses, within the sampling error."""
    draws, posterior = 20_000, planted.posterior
    found = at.tool_uncertainty(planted, draws=draws, poses=POSES[:6], seed=1)
    for k, q in enumerate(POSES[:6]):
        steps = np.zeros((2 * len(posterior.free), len(posterior.changes)))
        for row, index in enumerate(posterior.free):
            steps[2 * row, index], steps[2 * row + 1, index] = 1e-6, -1e-6
        places = plain_poses(posterior, posterior.changes + steps, q)[:, :3, 3]
        J = ((places[::2] - places[1::2]) / 2e-6).T
        exact = J @ posterior.covariance @ J.T
        np.testing.assert_allclose(found.first_order[k], exact, rtol=1e-6, atol=1e-14)
        # In units of the ellipsoid the estimate is the identity; its entries scatter by sqrt(2/n).
        root = np.linalg.inv(np.linalg.cholesky(exact))
        unit = root @ found.covariance[k] @ root.T
        assert np.abs(unit - np.eye(3)).max() < 5 * np.sqrt(2 / draws)
        sizes = np.sqrt(7.814727903251179 * np.linalg.eigvalsh(exact))  # chi square, 95 %
        np.testing.assert_allclose(found.ellipsoids().half_axes[k], sizes, rtol=0.04)
    assert found.first_order_gap < 0.03


def test_share_inside_the_ellipsoid(planted, plain):
    """95 % of plain draws lie within the 95 % ellipsoid, and half within that of 50 %."""
    found = at.tool_uncertainty(planted, draws=5000, poses=POSES, seed=8)
    errors = plain[0]
    for level in (0.5, 0.95):
        shape = found.ellipsoids(level)
        away = errors + found.position[:, None] - shape.centre[:, None]
        along = np.einsum("pij,pdi->pdj", shape.directions, away) / shape.half_axes[:, None]
        inside = ((along**2).sum(axis=2) <= 1).mean()
        assert inside == pytest.approx(level, abs=0.03)
    with pytest.raises(InputError, match="between 0 and 1"):
        found.ellipsoids(95)


def test_the_real_arm_is_one_of_the_possible_ones(fit, real):
    """The real error of the fitted arm is as predicted when the truth is planted and measured."""
    found = at.tool_uncertainty(fit, draws=2000, poses=200)
    gaps = at.fk(fit.arm, found.q)[:, :3, 3] - at.fk(real, found.q)[:, :3, 3]
    error = float(np.sqrt((gaps**2).sum(axis=1).mean()))
    low, high = np.percentile(found.arm_rms, [0.5, 99.5])
    assert low < error < high
    assert 0.1 * NOISE < np.sqrt((found.rms**2).mean()) < NOISE


def test_blocks_change_nothing(planted, monkeypatch):
    """The same figures result when draws and poses are computed in smaller blocks."""
    whole = at.tool_uncertainty(planted, draws=500, poses=POSES)
    monkeypatch.setattr(module, "ROWS", {"cpu": 1100})
    parts = at.tool_uncertainty(planted, draws=500, poses=POSES)
    for name in ("bias", "second_moment", "arm_rms", "arm_max"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-10)


def test_arrays_of_a_device(planted, monkeypatch):
    """The same figures result when arrays are those of a device, which never meet NumPy's."""
    expected = at.tool_uncertainty(planted, draws=300, poses=POSES)
    monkeypatch.setattr(module, "choose", lambda name, states: StrictDevice())
    found = at.tool_uncertainty(planted, draws=300, poses=POSES)
    for name in ("bias", "second_moment", "turn_rms", "arm_rms", "arm_max"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-10)


def test_worst_cell(planted):
    """Cells hold the RMS of their poses, and the worst one is named, when poses share cells."""
    found = at.tool_uncertainty(planted, draws=100, poses=POSES, cell=0.7)
    cells = found.cells()
    assert cells["poses"].sum() == len(POSES)
    total = (cells["rms"] ** 2 * cells["poses"]).sum()
    assert total == pytest.approx((found.rms**2).sum())
    assert found.to_dict()["worst_cell"]["rms"] == cells["rms"].max()


def test_command(real, tmp_path, capsys):
    """The command calibrates and prints the uncertainty when it is given a recording."""
    file = measured(real, 0).save(tmp_path / "poses.csv")
    words = ["uncertainty", "ur10", str(file), "--parameters", "lengths", "--poses", "30", "--json"]
    assert run([*words, "--draws", "1e2"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["draws"] == 100 and len(printed["ellipsoids"]["half_axes"]) == 30
    assert 1e-5 < printed["rms"] < NOISE
    assert run([*words, "--draws", "1"]) == 2
    assert "1 draws; give a whole number" in capsys.readouterr().err
