"""Histories of arms with known truth: daily identifications with scatter, warmth and drift.

A day's friction of a joint is ``level * exp(day + warmth + drift + noise)``: ``day`` is normal with
the standard deviation ``Scatter.day`` (what differs from one day to the next and is not
temperature), ``warmth`` follows the joint's temperature, ``noise`` is the identification's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from armtwin.history.row import NAMES, schema
from armtwin.spatial import Array

START = datetime(2025, 1, 1, 8)  # UTC, as stored
SPEEDS = np.array([0.42, 0.71, 1.1, 0.91, 1.2, 1.1])
"""Speeds at which the friction of a UR5e's joints is identified best [rad/s]."""
LEVELS = np.array([0.948, 1.694, 1.184, 0.516, 0.326, 0.482])
"""Friction at these speeds [A], as identified from the planted arm."""
NOISE = np.array([0.0012, 0.0008, 0.0012, 0.0021, 0.0036, 0.0030])
"""Relative scatter of one identification, same motion every day, 45 mA of noise."""
STATED = np.array([0.0049, 0.0007, 0.0018, 0.0074, 0.0117, 0.0043])
"""Relative standard errors that these identifications state. They hold errors of the model that are
the same every day. All four are measured by ``python -m benchmarks.history --scatter``."""


@dataclass(frozen=True)
class Scatter:
    """How friction differs from day to day.

    Attributes:
        day: standard deviation of a day, beyond temperature.
        correlation: of one day's deviation with the next.
        warmth: standard deviation of a day's temperature [K].
        per_kelvin: relative change of friction per kelvin.
        noise: scale of the identification's scatter.
    """

    day: float = 0.005
    correlation: float = 0.0
    warmth: float = 4.0
    per_kelvin: float = -0.01
    noise: float = 1.0


def synthetic(
    arms: int,
    days: int,
    *,
    seed: int = 0,
    scatter: Scatter | None = None,
    drift: Array | None = None,
    temperatures: bool = True,
) -> pa.Table:
    """Return rows of a fleet, one a day and arm, as an Arrow table.

    Args:
        arms: number of arms, with serial numbers ``A00000``, ...
        days: days of each.
        seed: of the random numbers.
        scatter: how friction differs from day to day.
        drift: planted relative change of friction (arms, days, 6); None: none.
        temperatures: whether the rows have joint temperatures.
    """
    random, kind = np.random.default_rng(seed), scatter or Scatter()
    shape = (arms, days, 6)
    deviation = kind.day * random.standard_normal(shape)
    for day in range(1, days):
        fresh = np.sqrt(1 - kind.correlation**2) * deviation[:, day]
        deviation[:, day] = kind.correlation * deviation[:, day - 1] + fresh
    warmth = kind.warmth * random.standard_normal((arms, days, 1)) + random.normal(0, 0.5, shape)
    noise = kind.noise * NOISE * random.standard_normal(shape)
    change = kind.per_kelvin * warmth + deviation + noise + (0 if drift is None else drift)
    friction = (LEVELS * np.exp(change)).reshape(-1, 6)
    constant = (0.1 * np.exp(0.003 * random.standard_normal(shape))).reshape(-1, 6)
    columns: dict[str, Any] = dict.fromkeys(NAMES)
    columns |= _identity(arms, days, seed)
    columns |= {
        "friction": _lists(friction), "friction_se": _lists(friction * STATED),
        "friction_speed": _lists(np.broadcast_to(SPEEDS, friction.shape)),
        "coulomb": _lists(0.8 * friction), "coulomb_se": _lists(friction * STATED),
        "viscous": _lists(0.4 * friction), "viscous_se": _lists(friction * STATED),
        "torque_constant": _lists(constant), "torque_constant_se": _lists(0.003 * constant),
        "temperature": _lists((30 + warmth).reshape(-1, 6)) if temperatures else None,
        "tool_error": 1e-3 * (1 + 0.05 * random.standard_normal(arms * days)),
        "energy_per_cycle": 400 + random.standard_normal(arms * days),
        "friction_unit": pa.array(["A"] * (arms * days)),
        "contacts": (random.random(arms * days) < 0.01).astype(np.int32),
    }  # fmt: skip
    count = arms * days
    return pa.table(
        [
            pa.nulls(count, field.type) if columns[field.name] is None
            else pa.array(columns[field.name]).cast(field.type)
            for field in schema()
        ],
        schema=schema(),
    )  # fmt: skip


def _identity(arms: int, days: int, seed: int) -> dict[str, Any]:
    """Return the columns that say which recording a row is.

    Args:
        arms: number of arms.
        days: days of each.
        seed: part of the keys.
    """
    count = arms * days
    times = [START + timedelta(days=day) for day in range(days)]
    stamps = pa.array(times * arms, pa.timestamp("us"))
    return {
        "key": [f"{seed:08x}{k:056x}" for k in range(count)],
        "serial": np.repeat([f"A{k:05d}" for k in range(arms)], days),
        "arm": ["ur5e-energy"] * count,
        "dof": np.full(count, 6, np.int32),
        "recorded": stamps,
        "time_from": ["synthetic"] * count,
        "added": stamps,
        "kind": ["recording"] * count,
        "origin": ["synthetic"] * count,
        "duration": np.full(count, 60.0),
        "notes": [""] * count,
    }


def _lists(values: Array) -> pa.Array:
    offsets = np.arange(len(values) + 1, dtype=np.int32) * values.shape[1]
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.ravel()))


def ramp(days: int, start: int, length: int, change: float) -> Array:
    """Return the logarithm of a gradual change: from ``start`` on, over ``length`` days (days,)."""
    return np.log1p(change * np.clip((np.arange(days) - start + 1) / length, 0, 1))
