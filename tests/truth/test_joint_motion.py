"""Speeds and accelerations of planted motions: the one chain against what it replaced."""

import numpy as np
import pytest
from scipy.signal import savgol_filter

import armtwin as at
from armtwin.recording.slopes import local_slopes

RATE, NOISE = 125.0, 20e-6
INNER = slice(50, -50)


def planted(rows=2500, frequency=0.9, amplitude=0.315):
    """Return times, true positions, speeds and accelerations (n, 1) of a sine, and noisy ones."""
    t = np.arange(rows) / RATE
    w = 2 * np.pi * frequency
    q = amplitude * np.sin(w * t)[:, None]
    noise = NOISE * np.random.default_rng(0).standard_normal(q.shape)
    return t, q, amplitude * w * np.cos(w * t)[:, None], -(w**2) * q, q + noise


def error(found, true):
    """Return the RMS difference of the inner rows."""
    return np.sqrt(np.mean((found - true)[INNER] ** 2))


def test_replaced_differentiators_have_the_measured_errors():
    """7.6e-3, 5.0e-3 and 2.9e-2 rad/s of old methods when 20 urad of noise is on 125 Hz data."""
    t, _, qd, _, noisy = planted()
    validation = local_slopes(t, noisy, 5)
    energy = savgol_filter(noisy, 9, 2, deriv=1, delta=1 / RATE, axis=0)
    detection = np.diff(noisy, axis=0, prepend=noisy[:1]) * RATE
    assert error(validation, qd) == pytest.approx(7.6e-3, rel=0.05)
    assert error(energy, qd) == pytest.approx(5.0e-3, rel=0.05)
    assert error(detection, qd) == pytest.approx(2.9e-2, rel=0.05)


def test_joint_motion_is_closer_than_what_it_replaced():
    """6.7e-4 rad/s and 1.5 % of the acceleration when 20 urad of noise is on 125 Hz data."""
    t, _, qd, qdd, noisy = planted()
    motion = at.Recording.of(t, {"q": noisy}).motion()
    assert error(motion.qd, qd) < 7e-4
    assert error(motion.qdd, qdd) < 0.015 * np.sqrt(np.mean(qdd**2))
    assert "derived from q" in motion.notes[0]
    assert motion.inner[INNER].all()
    assert not motion.inner[0]


@pytest.mark.parametrize("jitter", [0.0, 0.2])
def test_time_stamps_may_jitter(jitter):
    """The same accuracy at the recording's own stamps when they are uneven."""
    t, _, _, _, _ = planted()
    rng = np.random.default_rng(1)
    t = t + jitter / RATE * rng.uniform(-1, 1, t.size)
    w = 2 * np.pi * 0.9
    q = 0.315 * np.sin(w * t)[:, None] + NOISE * rng.standard_normal((t.size, 1))
    motion = at.Recording.of(t, {"q": q}).motion()
    np.testing.assert_array_equal(motion.time, t)
    assert error(motion.qd, 0.315 * w * np.cos(w * t)[:, None]) < 9e-4


def test_nothing_is_filtered_across_a_pause():
    """No speed is invented when the arm stands elsewhere after a pause of 5 s."""
    t = np.concatenate([np.arange(200) / RATE, 5 + np.arange(200, 400) / RATE])
    q = np.where(np.arange(400) < 200, 0.0, 1.0)[:, None]
    motion = at.Recording.of(t, {"q": q}).motion()
    assert np.abs(motion.qd).max() < 1e-9
    assert not motion.inner[[199, 200]].any()


def test_missing_rows_stay_missing():
    """NaN at a missing row and the true speed beside it when one value is missing."""
    t, _, qd, _, noisy = planted()
    noisy[1000] = np.nan
    motion = at.Recording.of(t, {"q": noisy}).motion()
    assert np.isnan(motion.qd[1000]).all()
    assert np.isfinite(np.delete(motion.qd, 1000, axis=0)).all()
    assert np.abs(motion.qd - qd)[990:1000].max() < 5e-3


def test_recorded_rates_are_used_as_they_are():
    """Recorded speeds unchanged, accelerations from them when only these are missing."""
    t, q, qd, qdd, _ = planted()
    motion = at.Recording.of(t, {"q": q, "qd": qd}).motion()
    np.testing.assert_array_equal(motion.qd, qd)
    assert error(motion.qdd, qdd) < 1e-3
    whole = at.Recording.of(t, {"q": q, "qd": qd, "qdd": qdd}).motion()
    assert whole.notes == () and whole.inner is None
    np.testing.assert_array_equal(whole.qdd, qdd)


def test_few_rows_are_not_filtered():
    """Central differences and no cutoff when there are too few rows to know the noise."""
    t = np.arange(6) / RATE
    motion = at.Recording.of(t, {"q": (3 * t**2)[:, None]}).motion()
    np.testing.assert_allclose(motion.qd[:, 0], 6 * t, atol=1e-9)
    assert motion.cutoff is None


def test_commanded_motion_has_a_prefix():
    """The commanded motion when the prefix is target_."""
    t, q, qd, _, _ = planted()
    motion = at.Recording.of(t, {"target_q": q}).motion("target_")
    assert error(motion.qd, qd) < 1e-3
    assert "target_q" in motion.notes[0]
