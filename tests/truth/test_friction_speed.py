"""Intervals of friction's speeds: they hold the planted speed, or are open where none is seen."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.model.arm import Friction


def with_friction(static):
    """Return a UR5e whose friction falls from ``static`` to 0.02 Nm at the motors."""
    arm = at.load("ur5e-energy")
    numbers = (("coulomb", 0.02), ("static", static), ("stribeck_speed", 20.0), ("viscous", 3e-4))
    joints = [
        dataclasses.replace(
            j, drive=dataclasses.replace(j.drive, friction=Friction("stribeck", numbers, "motor"))
        )
        for j in arm.joints
    ]
    return arm.with_(joints=tuple(joints))


def identified(arm, seed=0):
    """Return friction identified as Stribeck's from 40 s of slow and fast motion."""
    t = np.arange(1600) / 40
    w = 0.5 + 0.17 * np.arange(6)
    slow = 0.5 + 0.45 * np.sin(0.3 * t)[:, None]
    q = np.cumsum(slow * np.cos(np.outer(t, w)), axis=0) / 40
    qd = np.gradient(q, 1 / 40, axis=0)
    qdd = np.gradient(qd, 1 / 40, axis=0)
    current = at.motor_current(arm, qd, at.inverse_dynamics(arm, q, qd, qdd, ignore_limits=True))
    noise = 0.03 * np.random.default_rng(seed).standard_normal(q.shape)
    run = at.Recording.of(t, {"q": q, "current": current + noise})
    bare = [
        dataclasses.replace(j, drive=dataclasses.replace(j.drive, friction=None))
        for j in arm.joints
    ]
    start = arm.with_(joints=tuple(bare))
    return at.identify(start, run, method=("friction", "offsets"), friction="stribeck")


@pytest.fixture(scope="module")
def fits():
    """Return fits of friction with and without a fall from rest."""
    return identified(with_friction(0.04)), identified(with_friction(0.02))


def test_speed_has_an_interval_that_holds_the_truth(fits):
    """Most planted Stribeck speeds lie in closed intervals of some width."""
    found = [fits[0].estimate(f"stribeck_speed{j}") for j in range(1, 7)]
    closed = [e for e in found if e.source == "chosen"]
    assert len(closed) >= 4
    assert all(e.low < e.value < e.high for e in closed)
    assert sum(e.low <= 20.0 <= e.high for e in closed) >= len(closed) - 1


def test_speed_is_not_identified_without_a_fall(fits):
    """The speed is listed as not identified when friction does not fall from rest."""
    names = {one.name for one in fits[1].unidentifiable}
    open_ones = [e for e in fits[1].estimates if e.source == "open"]
    assert len(open_ones) >= 4
    assert {e.name for e in open_ones} <= names
    assert not any(e.name in fits[1].intervals for e in open_ones)
    rows = {row["name"]: row for row in fits[1].to_dict()["estimates"]}
    assert all(rows[e.name]["high"] is None for e in open_ones if np.isinf(e.high))
