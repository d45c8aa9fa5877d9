"""Intervals that hold although errors depend on each other, and bodies that can exist."""

import numpy as np
import pytest

import armtwin as at
from armtwin.identification.data.smoothing import chosen_cutoff, derivative, low_pass, motion
from armtwin.identification.estimation.hac import (
    Scores,
    critical_value,
    kernel_width,
    long_run,
    uncertainty,
)
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.parameters.feasible import best_step, limits, pseudo_inertia, to_link
from armtwin.identification.parameters.prior import file_prior
from armtwin.identification.parameters.vector import ParameterLayout


def persistent(rng, rows, memory):
    """Return errors (rows,) of unit variance whose neighbours resemble each other."""
    noise = rng.standard_normal(rows) * np.sqrt(1 - memory**2)
    from scipy.signal import lfilter

    return lfilter([1.0], [1.0, -memory], noise)


def test_hac_intervals_hold_where_white_ones_fail():
    """95 % of HAC intervals hold, and under 60 % of white ones, when errors persist for 0.1 s."""
    rng, rows, rate, held = np.random.default_rng(0), 5000, 100.0, np.zeros(2)
    for _ in range(300):
        x = np.column_stack([np.ones(rows), persistent(rng, rows, 0.95)])
        e = persistent(rng, rows, 0.9)
        slope = x.T @ x
        theta = np.linalg.solve(slope, x.T @ e)
        left = e - x @ theta
        found = uncertainty(slope, [Scores(x * left[:, None], rate)], 1e-9 * np.eye(2))
        half = found.factor * np.sqrt(np.diag(found.covariance))
        white = 1.96 * left.std() * np.sqrt(np.diag(np.linalg.inv(slope)))
        held += [np.mean(np.abs(theta) < half), np.mean(np.abs(theta) < white)]
    assert 0.92 < held[0] / 300 < 0.98
    assert held[1] / 300 < 0.6


def swinging(rng, t):
    """Return columns (n, 5) of a joint's regression: weight, inertia, friction and offset."""
    w = 2 * np.pi / 12.0007 * np.arange(1, 7)
    a, b = rng.standard_normal((2, 6))
    sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd, qdd = (sine / w) @ a - (cosine / w) @ b, cosine @ a + sine @ b, (cosine * w) @ b
    x = np.column_stack([np.cos(q), qdd - (sine * w) @ a, qd, np.sign(qd), np.ones_like(q)])
    return x / np.sqrt((x**2).mean(axis=0))


def share_that_holds(share, seconds, repetitions=150):
    """Return the share of intervals that hold when a share of the errors' variance lasts 2 s."""
    rng, rate, held = np.random.default_rng(3), 50.0, []
    t = np.arange(round(seconds * rate)) / rate
    for _ in range(repetitions):
        x, slow = swinging(rng, t), persistent(rng, len(t) + 2000, np.exp(-1 / (2 * rate)))[2000:]
        e = np.sqrt(1 - share) * rng.standard_normal(len(t)) + np.sqrt(share) * slow
        theta = np.linalg.solve(x.T @ x, x.T @ e)
        series = [Scores(x * (e - x @ theta)[:, None], rate)]
        found = uncertainty(x.T @ x, series, 1e-9 * np.eye(5))
        held.append(np.abs(theta) < found.factor * np.sqrt(np.diag(found.covariance)))
    return float(np.mean(held))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_intervals_hold_slow_errors_below_noise(share):
    """92.5 to 97.5 % of intervals hold when errors persist for 2 s below white noise, or do not."""
    assert 0.925 < share_that_holds(share, 60.0) < 0.975


def test_kernel_is_wide_only_where_errors_are_slow():
    """A second is enough for white errors, and more is taken when slow ones hide below them."""
    rng, rows = np.random.default_rng(4), 3000
    slow = persistent(rng, rows, 0.99)[:, None]
    white = rng.standard_normal((rows, 1))
    assert kernel_width([Scores(white, 50.0)]) == 1.0
    assert kernel_width([Scores(white + 0.33 * slow, 50.0)]) > 3.0


def test_long_run_is_bartletts_sum():
    """The same as the weighted sum of autocovariances when windows are added up."""
    values = np.random.default_rng(1).standard_normal((60, 2))
    L = 7
    expected = values.T @ values
    for lag in range(1, L):
        cross = values[lag:].T @ values[:-lag]
        expected = expected + (1 - lag / L) * (cross + cross.T)
    np.testing.assert_allclose(long_run([Scores(values, 1.0)], 7.0), expected, rtol=1e-12)


def test_precision_inverts_the_covariance():
    """``C P = 1`` when both are computed without inverting each other."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((400, 4))
    found = uncertainty(x.T @ x, [Scores(x * rng.standard_normal((400, 1)), 10.0)], np.eye(4))
    np.testing.assert_allclose(found.covariance @ found.precision, np.eye(4), atol=1e-9)
    assert found.factor == critical_value(1.0 / 40.0) > 1.96


def test_filter_and_derivatives_have_no_delay():
    """A sine's speed and acceleration within 1e-4 when it is filtered and differentiated."""
    t = np.arange(2000) / 200
    q = np.sin(2 * np.pi * 0.7 * t)[:, None]
    found, w = motion(q, 200.0, 20.0), 2 * np.pi * 0.7
    inner = slice(200, -200)
    np.testing.assert_allclose(found.qd[inner, 0], w * np.cos(w * t)[inner], atol=1e-4 * w)
    np.testing.assert_allclose(found.qdd[inner, 0], -(w**2) * q[inner, 0], atol=1e-4 * w**2)
    np.testing.assert_allclose(derivative(t**3, 200.0)[5:-5], 3 * t[5:-5] ** 2, rtol=1e-9)
    assert np.abs(low_pass(np.sin(2 * np.pi * 60 * t), 200.0, 5.0)[inner]).max() < 1e-5


def test_cutoff_follows_the_encoder():
    """A lower cutoff when positions are rounded more coarsely."""
    t = np.arange(5000) / 500
    q = np.column_stack([np.sin(t * w) for w in (1.0, 2.0, 3.0)])
    fine, coarse = (np.round(q / step) * step for step in (2 * np.pi / 2**20, 2 * np.pi / 2**14))
    assert chosen_cutoff(coarse, 500.0) < 0.6 * chosen_cutoff(fine, 500.0)


def test_pseudo_inertia_knows_bodies():
    """Positive definite for a real body, not so when the triangle inequality breaks."""
    arm = at.load("ur5e")
    for pi, joint in zip(at.link_parameters(arm).reshape(-1, 10), arm.joints, strict=True):
        assert np.linalg.eigvalsh(pseudo_inertia(pi))[0] > 0
        back = to_link(pi, joint.link)
        np.testing.assert_allclose(back.com, joint.link.com, atol=1e-12)
        np.testing.assert_allclose(back.inertia, joint.link.inertia, atol=1e-12)
    flat = np.array([1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.3])
    assert np.linalg.eigvalsh(pseudo_inertia(flat))[0] < 0


@pytest.mark.parametrize("seed", range(5))
def test_steps_end_at_bodies_that_exist(seed):
    """The nearest possible arm when the best step without limits is impossible."""
    arm, rng = at.load("ur5e-energy"), np.random.default_rng(seed)
    layout = ParameterLayout.of(arm, ("viscous-coulomb",) * 6, (0.005,) * 6)
    prior = file_prior(arm, layout, IdentifyOptions(), np.full(6, 0.1), np.full(6, 5.0))
    bounds = limits(layout, prior)
    free = prior.free
    H = prior.precision[np.ix_(free, free)]
    wanted = 5 * rng.standard_normal(free.size) / np.sqrt(np.diag(H))
    step = best_step(H, H @ wanted, prior.mean, free, bounds)
    after = prior.mean.copy()
    after[free] += step
    assert bounds.holds(after)
    outside = prior.mean.copy()
    outside[free] += wanted
    assert not bounds.holds(outside)
    cost = (step - wanted) @ H @ (step - wanted)
    assert cost < wanted @ H @ wanted
