"""Friction that varies: planted warm-up is found and modelled, intervals hold on other days."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import InputError
from armtwin.identification.data.runs import IdentificationRun, RunBlock
from armtwin.identification.data.smoothing import SmoothedMotion
from armtwin.identification.data.sources import numbered_days
from armtwin.identification.estimation.problem import file_vector
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.variation.day_effects import (
    DAY_SPREAD,
    assumed_spread,
    day_spread,
)
from armtwin.identification.variation.drift import friction_drift
from armtwin.identification.variation.friction_blocks import friction_blocks
from armtwin.identification.variation.sessions import sessions
from armtwin.identification.variation.varied_fit import with_scale
from armtwin.identification.variation.warm_up import fit_warm_up

NOISE = 0.3


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
    noise = np.random.default_rng(0).normal(0, NOISE, q.shape)
    run = IdentificationRun(
        "run", 50.0, t, dataclasses.replace(block, signal=signal + noise), None, ()
    )
    return predictor, vector, signal - load, run


def blocks_of(steady, runs):
    """Return the blocks of some runs about the fixture's vector."""
    predictor, vector, _, _ = steady
    return friction_blocks(predictor, runs, sessions(runs), vector, np.full(6, NOISE))


def varied(steady, factor, joint=None, kelvin=None, start=0.0, rows=12000):
    """Return the run, or its first rows, with friction times 1 + factor (n,) at joints."""
    _, _, friction, run = steady
    signal = run.effort.signal.copy()
    joints = range(6) if joint is None else [joint]
    for j in joints:
        signal[:, j] += factor * friction[:, j]
    effort, part = run.effort, slice(rows)
    effort = RunBlock("tau", effort.motion.rows(part), signal[part], effort.used[part], effort.rate)
    return dataclasses.replace(
        run, time=run.time[part], effort=effort, temperature=kelvin, start=start
    )


def test_steady_friction_neither_drifts_nor_warms(steady):
    """No joint is reported when friction stays as it is."""
    found = blocks_of(steady, [steady[3]])
    assert friction_drift(found, 6) == ()
    assert fit_warm_up(found, 6) == ()


@pytest.mark.parametrize("warm", [False, True])
def test_planted_drift_is_reported(steady, warm):
    """A fall of 20 % at joint 4 alone is reported, over temperature where it is recorded."""
    time = steady[3].time
    kelvin = 30 + 10 * np.repeat((time / time[-1])[:, None], 6, axis=1)
    run = varied(steady, 0.1 - 0.2 * time / time[-1], 3, kelvin if warm else None)
    (drift,) = friction_drift(blocks_of(steady, [run]), 6)
    assert drift.joint == 4
    assert drift.by == ("temperature" if warm else "time")
    assert abs(drift.change + 0.2) < 0.03
    assert "joint 4" in drift.text


def test_warm_up_is_recovered_and_removes_the_drift(steady):
    """The planted time constant and fall are found, and with them nothing drifts any more."""
    time = steady[3].time
    x = np.exp(-time / 60.0)
    run = varied(steady, 0.3 * (x - x.mean()), 4)
    (found,) = fit_warm_up(blocks_of(steady, [run]), 6)
    assert (found.joint, found.by, found.time_constant) == (5, "time", 60.0)
    assert abs(found.slopes[0] - 0.3) < 0.02
    middles = np.exp(-np.array([5.0, 235.0]) / 60.0)
    assert abs(found.change + 0.3 * (middles[0] - middles[1])) < 0.02
    assert found.after < found.before
    (session,) = sessions([run])
    assert friction_drift(blocks_of(steady, [with_scale(run, session, (found,))]), 6) == ()


def test_friction_follows_temperature_where_it_is_recorded(steady):
    """The slope per kelvin is recovered with its interval, and time is not blamed for it."""
    time = steady[3].time
    kelvin = np.repeat((35 + 6 * np.sin(time / 40.0))[:, None], 6, axis=1)
    run = varied(steady, -0.02 * (kelvin[:, 2] - kelvin[:, 2].mean()), 2, kelvin)
    (found,) = fit_warm_up(blocks_of(steady, [run]), 6)
    assert (found.joint, found.by) == (3, "temperature")
    slope = np.array(found.slopes)[np.array(found.errors) > 0]
    assert (np.abs(slope - 0.02) < 4 * np.array(found.errors).max()).all()
    assert "%/K" in found.text


def test_one_day_states_its_assumption(steady):
    """A single recording, or two of one session, leave the spread between days assumed."""
    runs = [steady[3], dataclasses.replace(steady[3], start=300.0)]
    found = day_spread(blocks_of(steady, runs), [0, 0], 6)
    assert not found.estimated
    assert (found.spread == DAY_SPREAD).all()
    assert "assume" in found.text


def test_days_that_differ_widen_the_interval(steady):
    """Four days 30 % apart give a wide spread, four equal days a narrow one."""
    factors = (-0.35, -0.1, 0.1, 0.35)
    starts = [1e5 * k for k in range(4)]
    apart, equal = (
        day_spread(
            blocks_of(
                steady,
                [
                    varied(steady, size * f * np.ones(12000), start=s, rows=3000)
                    for f, s in zip(factors, starts, strict=True)
                ],
            ),
            range(4),
            6,
        )
        for size in (1.0, 0.0)
    )
    assert apart.estimated and "4 days" in apart.text
    known = apart.spread[:, 1]
    assert (np.abs(known - np.std(factors, ddof=1)) < 0.06).all()
    assert (equal.spread[:, 1] < 0.06).all()
    (mean, wide), (_, narrow) = (one.half_widths(0, 1, 10.0, 0.5) for one in (apart, equal))
    assert wide > 2 * narrow and 0.5 < mean < wide


def test_any_day_covers_other_days():
    """95 % of other days' friction lie in the interval when days deviate as assumed."""
    rng, error = np.random.default_rng(2), 0.05
    today, other = 10 * (1 + DAY_SPREAD * rng.standard_normal((2, 20000)))
    estimate = today + 10 * error * rng.standard_normal(today.size)
    half = 1.96 * 10 * error
    same, wide = assumed_spread(6).half_widths(0, 1, 10.0, half)
    assert same == half
    assert abs((np.abs(other - estimate) < wide).mean() - 0.95) < 0.01
    assert (np.abs(other - estimate) < half).mean() < 0.6


def test_sessions_follow_the_clocks(steady):
    """Runs with one clock share a session, a night apart they do not, nor with equal clocks."""
    run = steady[3]
    at_times = [dataclasses.replace(run, start=s) for s in (1.75e9 + 600, 1.75e9, 1.75e9 + 86400)]
    first, second, third = sessions(at_times)
    assert (first.number, second.number, third.number) == (0, 0, 1)
    assert (first.before, second.before) == (600.0, 0.0)
    assert first.dated
    assert [s.number for s in sessions([run, run])] == [0, 1]
    assert not sessions([run, run])[0].dated


def test_days_are_named_per_file():
    """Names of days are expanded to the runs in each file; a wrong number is refused."""
    assert numbered_days(None, [1, 2]) is None
    assert numbered_days("each", [1, 2]) == [0, 1, 1]
    assert numbered_days("mon, tue, mon", [1, 2, 1]) == [0, 1, 1, 0]
    with pytest.raises(InputError, match="2 days for 3 files"):
        numbered_days("mon,tue", [1, 1, 1])
