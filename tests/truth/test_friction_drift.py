"""Friction that drifts: planted warm-up is reported, and intervals hold on another day."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.identification.data.runs import IdentificationRun, RunBlock
from armtwin.identification.data.smoothing import SmoothedMotion
from armtwin.identification.estimation.problem import file_vector
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.result.friction_drift import DAY_SPREAD, any_day, friction_drift


@pytest.fixture(scope="module")
def steady():
    """Return predictor, vector, friction (n, dof) and a run of four minutes without drift."""
    predictor, vector = file_vector(at.load("ur5e-energy"), IdentifyOptions())
    t = np.arange(12000) / 50.0
    w = 0.9 + 0.2 * np.arange(6)
    q, qd = 0.6 * np.sin(np.outer(t, w)), 0.6 * w * np.cos(np.outer(t, w))
    motion = SmoothedMotion(q, qd, -(w**2) * q)
    block = RunBlock("tau", motion, np.zeros_like(q), np.abs(qd) > 0.02, 50.0)
    signal = predictor.predicted(block, vector)
    load = np.concatenate([predictor.torques(m, vector)[1] for _, m in block.chunks()])
    noise = np.random.default_rng(0).normal(0, 0.3, q.shape)
    run = IdentificationRun(
        "run", 50.0, t, dataclasses.replace(block, signal=signal + noise), None, ()
    )
    return predictor, vector, signal - load, run


def test_steady_friction_does_not_drift(steady):
    """No joint is reported when friction stays as it is."""
    predictor, vector, _, run = steady
    assert friction_drift(predictor, [run], vector) == ()


@pytest.mark.parametrize("warm", [False, True])
def test_planted_warm_up_is_reported(steady, warm):
    """A fall of 20 % at joint 4 alone is reported, over temperature where it is recorded."""
    predictor, vector, friction, run = steady
    fall = 0.1 - 0.2 * run.time / run.time[-1]
    signal = run.effort.signal.copy()
    signal[:, 3] += fall * friction[:, 3]
    kelvin = 30 + 10 * np.repeat((run.time / run.time[-1])[:, None], 6, axis=1)
    run = dataclasses.replace(
        run,
        effort=dataclasses.replace(run.effort, signal=signal),
        temperature=kelvin if warm else None,
    )
    (drift,) = friction_drift(predictor, [run], vector)
    assert drift.joint == 4
    assert drift.by == ("temperature" if warm else "time")
    assert abs(drift.change + 0.2) < 0.03
    assert "joint 4" in drift.text


def test_any_day_covers_other_days():
    """95 % of other days' friction lie in the interval when both days deviate at random."""
    rng, factor, error = np.random.default_rng(2), 1.96, 0.05
    today, other = 10 * (1 + DAY_SPREAD * rng.standard_normal((2, 20000)))
    estimate = today + 10 * error * rng.standard_normal(today.size)
    half = factor * 10 * error
    wide = any_day(10.0, half, factor)
    assert abs((np.abs(other - estimate) < wide).mean() - 0.95) < 0.01
    assert (np.abs(other - estimate) < half).mean() < 0.6
    assert abs((np.abs(today - estimate) < half).mean() - 0.95) < 0.01
