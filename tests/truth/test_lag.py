"""Planted lags are found again, to a fraction of a sample."""

import numpy as np
import pytest
from measured_runs import motion, run_of

import armtwin as at
from armtwin.recording.recording import Recording
from armtwin.validation.lags.signal_lag import coarse_lag, estimate_lag

ARM = at.load("ur10e")


@pytest.mark.parametrize("lag", [0.3, -0.3, 0.5, 1.0, 7.6, -2.25])
@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_planted_lag_is_found(lag, noise):
    """The lag is found within 0.05 samples when it was planted, with and without noise."""
    check = at.validate(ARM, run_of(ARM, lag=lag, noise=noise))
    assert check.lag.samples == pytest.approx(lag, abs=0.05)
    assert check.lag.seconds == pytest.approx(lag * 0.008, abs=0.05 * 0.008)


def test_interval_holds_the_truth():
    """The 95 % interval holds the planted lag in most runs when the noise is drawn anew."""
    hits = 0
    for seed in range(20):
        found = at.validate(ARM, run_of(ARM, lag=0.3, noise=3e-4, seed=seed)).lag
        hits += found.interval[0] <= 0.3 <= found.interval[1]
    assert hits >= 16


def test_no_lag_is_not_reported_as_one():
    """The lag is zero within its interval when none was planted."""
    found = at.validate(ARM, run_of(ARM, noise=2e-4)).lag
    assert abs(found.samples) < 0.02
    assert found.interval[0] < 0 < found.interval[1]
    assert not found.is_significant


def test_lag_is_distinguished_from_an_offset():
    """The lag stays right when a joint is off by a degree and the tool by centimetres, too."""
    offset = np.deg2rad([0, 0, 1.0, 0, 0, 0])
    twin = ARM.with_(tool=at.pose((0.02, 0, 0.05)))
    check = at.validate(twin, run_of(ARM, lag=0.3, offset=offset, noise=1e-5))
    assert check.lag.samples == pytest.approx(0.3, abs=0.05)


def test_noisy_joints_do_not_pull_the_lag():
    """The lag stays right when the twin's own joints are noisy, which biases plain fits."""
    run = run_of(ARM, lag=0.3, rows=5000)
    noisy = run.q + 2e-4 * np.random.default_rng(0).normal(size=run.q.shape)
    found = at.validate(ARM, run.with_columns({"q": noisy})).lag
    assert found.samples == pytest.approx(0.3, abs=0.05)


def test_uneven_time_stamps():
    """The lag is found in seconds when stamps are not evenly spaced."""
    rng = np.random.default_rng(3)
    time = np.cumsum(rng.uniform(0.004, 0.012, 3000))
    q, later = motion(time), motion(time - 0.0024)
    groups = {"q": q, "position": at.fk(ARM, later)[:, :3, 3]}
    found = at.validate(ARM, Recording.of(time, groups)).lag
    assert found.seconds == pytest.approx(0.0024, abs=0.0004)


def test_removing_the_lag_lowers_the_error():
    """The error falls to the noise when the twin is shifted by the lag that was found."""
    run = run_of(ARM, lag=5.0, noise=1e-5)
    as_is, shifted = at.validate(ARM, run), at.validate(ARM, run, remove_lag=True)
    assert as_is["position"].rmse > 0.01
    assert shifted["position"].rmse < 5e-5
    assert as_is.lag.removed > 0.99
    assert shifted.lag.samples == pytest.approx(5.0, abs=0.05)


def test_still_arm_tells_no_lag():
    """No lag is claimed when nothing moves, or when the rows have no clock."""
    run = run_of(ARM, rows=200)
    still = run.with_columns({"q": np.tile(run.q[:1], (200, 1))})
    assert estimate_lag(run.time, np.zeros((200, 3)), run.group("position")) is None
    assert at.validate(ARM, still).lag is None


def test_coarse_lag_needs_no_start():
    """Whole samples are found exactly when the shift is large."""
    y = motion(0.01 * np.arange(1000.0))
    assert coarse_lag(y[50:], y[:-50], 200) == 50
    assert coarse_lag(y[:-37], y[37:], 200) == -37
