r"""The threshold of a drift alarm for a stated rate of false alarms per arm and year.

A report may be made every day, over every shape of ``regression.shapes``. Over a year without any
drift the smallest of all these probabilities p of one series lies below a small threshold with

.. math:: P(\min p < p^*) \approx C\, p^*

C counts the independent tests of a year. It was found by simulation (``simulate``; printed by
``python -m benchmarks.history --false-alarms``). With J judged series an arm has a false alarm in a
year with a probability of at most ``rate`` where

.. math:: p^* = \mathrm{rate} / (C\, J)
"""

from __future__ import annotations

import numpy as np

from armtwin.errors import InputError
from armtwin.history.drift.regression import LEAST_DAYS, Base, Daily, search, shapes
from armtwin.spatial import Array

RATE = 1e-3
"""False alarms per arm and year."""
TESTS = 900.0
"""C, independent tests in a year of daily reports."""
YEAR = 365


def threshold(rate: float, series: Array) -> Array:
    """Return the largest probability p that is an alarm.

    Args:
        rate: false alarms per arm and year.
        series: judged series of each arm (S,).
    """
    if not 0 < rate < 1:
        raise InputError(
            f"a rate of false alarms lies between 0 and 1 per arm and year; got {rate}"
        )
    return np.asarray(rate / (TESTS * np.maximum(series, 1)))


def simulate(
    arms: int, *, joints: int = 12, correlation: float = 0.0, every: int = 1, seed: int = 0
) -> Array:
    """Return the smallest p of a year of reports on drift-free series (arms * joints,).

    Scatter is normal with this correlation from one day to the next; temperatures vary by 5 K.

    Args:
        arms: number of arms.
        joints: series an arm.
        correlation: of one day's scatter with the next.
        every: days between reports.
        seed: of the random numbers.
    """
    random = np.random.default_rng(seed)
    count = arms * joints
    scatter = random.standard_normal((count, YEAR))
    for day in range(1, YEAR):
        fresh = np.sqrt(1 - correlation**2) * scatter[:, day]
        scatter[:, day] = correlation * scatter[:, day - 1] + fresh
    warmth = 25 + 5 * random.standard_normal((count, YEAR))
    lowest, arm = np.ones(count), np.arange(count) // joints
    for days in range(LEAST_DAYS, YEAR + 1, every):
        weight = np.ones((count, days))
        daily = Daily(scatter[:, :days], weight, warmth[:, :days], arm)
        lowest = np.minimum(lowest, search(daily, Base.of(daily, 2.0), shapes(days)).p)
    return lowest


def independent_tests(lowest: Array, share: float = 0.01) -> float:
    """Return C as a simulation shows it at a share of series that would alarm."""
    return share / float(np.quantile(lowest, share))
