"""Idle power and motor losses from a robot's recorded power."""

import numpy as np
import pytest

import armtwin as at
from armtwin.energy.supply import fit_supply, motor_sizes
from armtwin.errors import InputError, MissingColumnError

ARM = at.load("ur3e")
TRUE = {"idle": 36.0, "back_emf": (10.0, 7.0, 4.0), "resistance": (0.5, 1.0, 1.5), "iron": 0.5}


def planted(seed=0, rows=2000, noise=1.5):
    """Return a recording whose power follows known numbers, with noise and a few outliers."""
    rng, t = np.random.default_rng(seed), np.arange(rows) / 25.0
    phase = rng.uniform(0, 6, (2, 6))
    moving = np.sin(0.2 * t) > 0
    qd = moving[:, None] * np.sin(0.7 * t[:, None] + phase[0])
    current = 1.5 * np.sin(1.1 * t[:, None] + phase[1]) + 0.3
    power = np.full(rows, TRUE["idle"]) + TRUE["iron"] * (qd**2).sum(axis=1)
    for group, k, r in zip(motor_sizes(ARM), TRUE["back_emf"], TRUE["resistance"], strict=True):
        for j in group:
            power += k * qd[:, j] * current[:, j] + r * current[:, j] ** 2
    power += noise * rng.normal(size=rows)
    power[::97] += 40
    return at.Recording.of(t, {"qd": qd, "current": current, "power": power})


def test_planted_numbers_are_found():
    """Idle power, back-EMF and resistances are recovered when power is noisy with outliers."""
    supply = fit_supply(ARM, planted())
    assert abs(supply.idle - TRUE["idle"]) < 0.5
    np.testing.assert_allclose(supply.back_emf, TRUE["back_emf"], rtol=0.03)
    np.testing.assert_allclose(supply.resistance, TRUE["resistance"], atol=0.15)
    low, high = supply.idle_interval
    assert low < supply.idle < high < low + 1.5


def test_sizes_follow_torque_limits():
    """Joints of one torque limit share a motor size when the arm is a UR3e."""
    assert motor_sizes(ARM) == ((0, 1), (2,), (3, 4, 5))


def test_numbers_are_never_negative():
    """No loss is negative when the recorded power is pure noise."""
    noisy = planted().with_columns({"power": 30 + np.random.default_rng(1).normal(size=2000)})
    supply = fit_supply(ARM, noisy)
    assert min(supply.idle, supply.iron, *supply.back_emf, *supply.resistance) >= 0


@pytest.mark.parametrize("group", ["power", "current", "qd"])
def test_missing_columns(group):
    """The missing column is named when power, currents or speeds are not recorded."""
    kept = [g for g in ("qd", "current", "power") if g != group]
    with pytest.raises(MissingColumnError, match=group):
        fit_supply(ARM, planted().select(*kept))


def test_too_short():
    """A recording is refused when it has hardly any rows."""
    with pytest.raises(InputError, match="50 or more rows"):
        fit_supply(ARM, planted(rows=20))
