"""Laws of the observers, sample by sample."""

import sys
import tracemalloc

import numpy as np
import pytest

import armtwin as at
from armtwin.detection.learning.recurring import recurring
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.observers.momentum import MomentumObserver
from armtwin.detection.observers.window_bank import ExternalTorque, WindowBank, lengths, weights
from armtwin.detection.thresholds import Thresholds, level
from armtwin.errors import InputError

ARM = at.load("ur10e")
Q = np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])


def still(push):
    """Return the motor torques that hold the arm still against a push (6,)."""
    return at.gravity(ARM, Q) - push


@pytest.mark.parametrize("product", [0.01, 0.5, 1.9, 10.0])
def test_constant_disturbance_is_met_exactly(product):
    """The residual is d (1 - exp(-K t)) at every step when a constant torque d acts."""
    h, push = 0.002, np.array([5.0, -20.0, 3.0, 1.0, -0.5, 0.2])
    observer = MomentumObserver(ARM, product / h)
    observer.step(Q, np.zeros(6), still(push), 0.0)
    for k in range(1, 60):
        got = observer.step(Q, np.zeros(6), still(push), h)
        np.testing.assert_allclose(got, push * (1 - np.exp(-product * k)), rtol=0, atol=1e-9)


def test_observer_run_is_its_steps():
    """The same numbers come out when a run is observed at once or sample by sample."""
    random = np.random.default_rng(1)
    time, (q, qd, tau) = np.arange(50) * 0.002, random.normal(0, 1, (3, 50, 6))
    whole = MomentumObserver(ARM).run(time, q, qd, tau)
    one = MomentumObserver(ARM)
    steps = np.diff(time, prepend=0.0)
    single = [one.step(q[k], qd[k], tau[k], float(steps[k])) for k in range(50)]
    np.testing.assert_array_equal(whole, single)


@pytest.mark.parametrize("gain", [0.0, -3.0, float("inf")])
def test_gain_must_be_positive(gain):
    """An InputError is raised when the observer's gain makes no sense."""
    with pytest.raises(InputError):
        MomentumObserver(ARM, gain)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_window_is_a_least_squares_slope(n):
    """The weighted mean is the slope of a straight line fit when increments are given."""
    error = np.cumsum(np.random.default_rng(n).normal(0, 1, n + 1))
    slope = np.polyfit(np.arange(n + 1), error, 1)[0]
    got = weights(np.array([n])) @ np.diff(error)
    assert got[0] == pytest.approx(slope, abs=1e-12)


def test_windows_of_another_rate():
    """Every length occurs once and covers its time when the rate is low or high."""
    assert lengths(0.002).tolist() == [2, 3, 5, 8, 13, 21, 34, 55, 85, 125]
    slow = lengths(0.008)
    assert slow.tolist() == sorted(set(slow.tolist()))
    assert slow[-1] == 31


def test_bank_equals_direct_sums():
    """Means are those of the latest samples when the bank's ring has gone round many times."""
    bank = WindowBank(0.002, 2)
    samples = np.random.default_rng(3).normal(0, 1, (1000, 2))
    for k, sample in enumerate(samples):
        bank.push(sample)
        if k in (124, 500, 999):
            direct = weights(bank.periods) @ samples[k + 1 - bank.longest : k + 1]
            np.testing.assert_allclose(bank.update(), direct, rtol=0, atol=1e-12)
    bank.restart()
    assert bank.filled == 0
    assert not bank.update().any()


def external(push, *, gap=0, nan=None):
    """Yield what a stage makes of an arm held still against a push."""
    stage = ExternalTorque(ObserverModel.plain(ARM), 0.002)
    for k in range(20):
        late = 0.002 * gap if k >= 10 else 0.0
        tau = still(push)
        if k == nan:
            tau = np.full(6, np.nan)
        yield stage, stage.step(0.002 * k + late, Q, np.zeros(6), tau)


def test_external_torque_of_a_held_arm():
    """The push itself is found at every sample when the arm is held still against it."""
    push = np.array([1.0, -2.0, 3.0, 0.0, 0.5, 0.1])
    for stage, count in external(push):
        if count:
            np.testing.assert_allclose(stage.x, push, rtol=0, atol=1e-9)


def test_short_gap_is_bridged_and_long_one_restarts():
    """Gaps are counted as bridged or as restarts when samples are missing."""
    *_, (stage, _) = external(np.ones(6), gap=2)
    assert (stage.bridged, stage.restarts) == (1, 0)
    *_, (stage, _) = external(np.ones(6), gap=50)
    assert (stage.bridged, stage.restarts) == (0, 1)


def test_nan_is_counted_and_not_used():
    """The sample is counted and gives no torque when it holds NaN; the next one bridges it."""
    counts = [count for _, count in external(np.ones(6), nan=7)]
    *_, (stage, _) = external(np.ones(6), nan=7)
    assert stage.missing == 1
    assert counts[7] == 0
    assert counts[8] == 2
    np.testing.assert_allclose(stage.x, 1.0, rtol=0, atol=1e-9)


def test_level_follows_the_stated_rate():
    """Rarer false alarms ask for a higher level when the same clean score is given."""
    score = np.abs(np.random.default_rng(2).normal(0, 1, 60000))
    rare, often = level(score, 0.002, 0.1)[0], level(score, 0.002, 100.0)[0]
    assert rare > often >= 1.2 * score.max() * 0.999
    with pytest.raises(InputError):
        level(score, 0.002, 0.0)


def test_level_of_gumbel_noise_is_right():
    """Blocks exceed the level as rarely as stated when their maxima follow the law."""
    p = 1e-10
    clean = np.random.default_rng(5).gumbel(10, 1, 2000)
    found, _ = level(np.repeat(clean, 500), 0.002, 3600 * p)
    assert found == pytest.approx(10 - np.log(p), abs=2.0)


def test_no_growth_when_live():
    """No memory is gathered when a detector runs sample by sample."""
    from armtwin.detection.detector import Detector

    count = len(lengths(0.002))
    levels = Thresholds(np.full((count, 6), 5.0), np.full(count, 3.0), np.ones(6), np.zeros(6))
    live = Detector(ObserverModel.plain(ARM), levels, 0.002)
    tau = still(np.zeros(6))
    for k in range(300):
        live.step(0.002 * k, Q, np.zeros(6), tau)
    tracer = sys.gettrace()
    sys.settrace(None)  # what coverage notes of new lines would count as growth
    tracemalloc.start()
    first = tracemalloc.get_traced_memory()[0]
    for k in range(300, 3300):
        live.step(0.002 * k, Q, np.zeros(6), tau)
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    sys.settrace(tracer)
    assert grown < 4000


def test_own_friction_is_distinguished():
    """Dry and viscous friction of the arm file come out when two speeds are compared."""
    from armtwin.simulation.typical_drives import COULOMB, VISCOUS, with_real_drives

    dry, viscous = ObserverModel.plain(with_real_drives(ARM)).own_friction()
    np.testing.assert_allclose(dry, COULOMB, rtol=0.02)
    np.testing.assert_allclose(viscous, VISCOUS, rtol=0.02)
    assert not np.any(ObserverModel.plain(ARM).own_friction())


def test_what_recurs_is_distinguished_from_what_does_not():
    """Errors of every lap are recurring and a push on one lap is not when both are marked."""
    time = np.arange(4000) * 0.01
    phase = 2 * np.pi * time / 4
    states = np.stack([np.cos(phase), np.sin(phase)], axis=1)
    errors = np.random.default_rng(3).normal(0, 0.1, (4000, 2))
    angle = phase % (2 * np.pi)
    every_lap, inside = angle < 1.0, (angle > 0.2) & (angle < 0.8)
    errors[every_lap, 0] += 3.0
    pushed = (time > 14.5) & (time < 15.0)
    errors[pushed, 1] -= 3.0
    found = recurring(every_lap | pushed, errors, states, time)
    assert found[inside].all()  # at its edges half of the neighbours lie outside
    assert not found[pushed].any()
    assert not recurring(np.zeros(4000, bool), errors, states, time).any()
