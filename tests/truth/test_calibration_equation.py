"""The calibration equation against differences, and the pieces around it."""

import numpy as np
import pytest
from synthetic_arms import random_arm

import armtwin as at
from armtwin.calibration.data.frames import aligned, nearest_rotation
from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.fit.identifiability import analyse
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.calibration.fit.robust import solve
from armtwin.calibration.fit.uncertainty import half_widths, left_out_errors, sandwich


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_equal_differences(seed):
    """Every column equals a central difference when the arm has any joints and frames."""
    arm = random_arm(seed)
    model = GeometryModel(arm)
    q = np.random.default_rng(seed).uniform(-1, 1, (5, arm.dof))
    count, step = len(model.parameters), 1e-6
    start = 0.01 * np.random.default_rng(seed + 9).normal(size=count)
    T, J = model.poses(q, np.zeros_like(q), start)
    assert np.abs(at.fk(model.arm_with(start), q, ignore_limits=True) - T).max() < 1e-12
    for k, unit in enumerate(np.eye(count)):
        ahead, behind = (model.poses(q, 0 * q, start + s * step * unit)[0] for s in (1, -1))
        rate = (ahead - behind) / (2 * step)
        turn = rate[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2)
        omega = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
        assert np.abs(J[:, :3, k] - rate[:, :3, 3]).max() < 1e-7
        assert np.abs(J[:, 3:, k] - omega).max() < 1e-7


@pytest.mark.parametrize("orientation", [True, False])
def test_frames_are_found_from_anywhere(orientation):
    """Base and tool are found exactly when the measurements are in a far-off, turned frame."""
    arm = at.load("ur5e")
    base, tool = at.pose((3, -5, 2), (2.0, -1.2, 0.7)), at.pose((0.05, 0.1, 0.2), (0.3, 1, 2))
    q = np.random.default_rng(0).uniform(-2.5, 2.5, (60, 6))
    T = at.fk(arm.with_(base=base, tool=tool), q)
    rotation = T[:, :3, :3] if orientation else None
    found = aligned(arm, PoseMeasurements(q, T[:, :3, 3], rotation, np.arange(60)))
    assert np.abs(np.array(found.base) - base).max() < 1e-6
    assert np.abs(np.array(found.tool)[:3, 3] - tool[:3, 3]).max() < 1e-6
    down = base[:3, :3] @ np.array(arm.gravity)
    assert np.abs(np.array(found.gravity) - down).max() < 1e-5


def test_nearest_rotation_is_one():
    """The nearest matrix is a rotation, never a mirror, when the sum is noisy or mirrored."""
    for seed in range(20):
        R = nearest_rotation(np.random.default_rng(seed).normal(size=(3, 3)))
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-12
        assert np.linalg.det(R) > 0


def test_robust_fit_withstands_outliers():
    """The line is found when a fifth of its points are far off, and plain least squares fails."""
    rng = np.random.default_rng(0)
    t = np.linspace(-1, 1, 200)
    y = 2.0 * t + 0.5 + 0.01 * rng.normal(size=200)
    y[::5] += 3.0

    def errors(x):
        model = x[0] * t + x[1]
        J = np.zeros((200, 3, 2))
        J[:, 0, 0], J[:, 0, 1] = t, 1.0
        return np.column_stack([model - y, 0 * t + 1e-3, 0 * t - 1e-3]), J

    found = solve(errors, np.array([100.0, 100.0]))
    plain = np.polyfit(t, y, 1)
    assert abs(found.x[1] - 0.5) < 0.05
    assert abs(plain[1] - 0.5) > 0.5
    assert found.rounds < 60


def test_sandwich_covers_uneven_noise():
    """Intervals hold the truth in 95 of 100 draws when the noise is uneven."""
    t = np.linspace(0, 1, 120)
    hits = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        e = (0.02 + 0.2 * t) * rng.normal(size=120)
        slope = (t @ (3.0 * t + e)) / (t @ t)
        J, rest = t[:, None, None], (slope * t - 3.0 * t - e)[:, None]
        half = half_widths(sandwich(J, rest, np.arange(120), np.array([1e6])), 119)
        hits += abs(slope - 3.0) < half[0]
    assert 0.90 <= hits / 200 <= 0.99


def test_left_out_errors_of_a_line_are_exact():
    """Errors of left-out blocks equal those of real refits when the problem is linear."""
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(30, 1, 3)), rng.normal(size=(30, 1))
    block = np.arange(30) // 3
    loose = np.full(3, 1e6)

    def fit(rows):
        return np.linalg.lstsq(A[rows, 0], y[rows, 0], rcond=None)[0]

    x = fit(np.arange(30))
    quick = left_out_errors(A, A @ x - y, np.ones((30, 1)), loose, block)
    for number in range(10):
        rows = np.flatnonzero(block == number)
        slow = A[rows, 0] @ fit(np.flatnonzero(block != number)) - y[rows, 0]
        assert np.abs(quick[rows, 0] - slow).max() < 1e-9


def test_identifiability_names_combinations():
    """The combination is named when one column is the sum of two others, or nothing at all."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(50, 3))
    J = np.column_stack([A[:, 0], A[:, 1], A[:, 0] + 2 * A[:, 1], A[:, 2], 0 * A[:, 2]])
    found = analyse(J, ["a", "b", "c", "d", "e"], np.full(5, 100.0), range(5))
    assert found.free == (0, 1, 3)
    assert dict(found.held[0].like) == pytest.approx({"b": 2.0, "a": 1.0})
    assert found.held[0].exact
    assert "no effect" in str(found.held[1])


def test_covariance_is_positive_when_columns_are_nearly_equal():
    """No eigenvalue is negative beyond rounding when two columns agree to 8 digits."""
    rng = np.random.default_rng(0)
    J, e = rng.standard_normal((300, 6, 20)), rng.standard_normal((300, 6))
    J[:, :, 1] = J[:, :, 0] + 1e-8 * J[:, :, 1]
    C = sandwich(1e8 * J, 1e-9 * e, np.arange(300) // 3, np.full(20, np.inf))
    scale = np.sqrt(np.diag(C))
    np.testing.assert_array_equal(C, C.T)
    assert np.linalg.eigvalsh(C / np.outer(scale, scale)).min() > -1e-13
