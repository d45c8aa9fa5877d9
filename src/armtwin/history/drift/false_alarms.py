r"""The threshold of a drift alarm for a stated rate of false alarms per arm and year.

A report may be made every day, over every shape of ``regression.shapes``. Over a year without any
drift the smallest of all these probabilities p of one series lies below a small threshold with

.. math:: P(\min p < p^*) \approx C\, p^*

C counts the independent tests of a year. It was found by simulation (``simulate``; printed by
``python -m benchmarks.history --false-alarms``). With J judged series an arm has a false alarm in a
year with a probability of at most ``rate`` where

.. math:: p^* = \mathrm{rate} / (C\, J)

The first 20 days of a series are tested apart, with a C of their own and the rate of a whole year:
few tests are made in them, and a year's threshold would find nothing there. An arm's first year
therefore has up to twice the stated rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.history.drift.daily import DAY, LEAST_DAYS, Daily, weights
from armtwin.history.drift.regression import Base, search, shapes
from armtwin.spatial import Array

RATE = 1e-3
"""False alarms per arm and year."""
TESTS = 900.0
"""C, independent tests in a year of daily reports, from the 21st day with data on."""
YOUNG, YOUNG_TESTS = 20, 25.0
"""Days with data that count as the first ones, and C of the reports on them."""
YEAR = 365
NOISE = 0.002
"""Standard error of an identification in simulated series, relative."""


def threshold(rate: float, series: Array, days: Array) -> Array:
    """Return the largest probability p that is an alarm.

    Args:
        rate: false alarms per arm and year.
        series: judged series of each series' arm (S,).
        days: days with data of each series (S,).
    """
    if not 0 < rate < 1:
        raise InputError(
            f"a rate of false alarms lies between 0 and 1 per arm and year; got {rate}"
        )
    tests = np.where(days <= YOUNG, YOUNG_TESTS, TESTS)
    return np.asarray(rate / (tests * np.maximum(series, 1)))


@dataclass(frozen=True)
class DriftFree:
    """Series without drift to simulate.

    Attributes:
        arms: number of arms.
        joints: series an arm.
        correlation: of one day's scatter with the next.
        spread: how the joints' scatters differ, standard deviation of the logarithm.
    """

    arms: int
    joints: int = 6
    correlation: float = 0.0
    spread: float = 0.15

    def days(self, count: int, seed: int) -> Daily:
        """Return some days of all series; temperatures vary by 5 K."""
        random, shape = np.random.default_rng(seed), (self.arms * self.joints, count)
        scatter = random.standard_normal(shape)
        for day in range(1, count):
            fresh = np.sqrt(1 - self.correlation**2) * scatter[:, day]
            scatter[:, day] = self.correlation * scatter[:, day - 1] + fresh
        scatter *= DAY * np.exp(self.spread * random.standard_normal((len(scatter), 1)))
        value = scatter + NOISE * random.standard_normal(shape)
        warmth = 25 + 5 * random.standard_normal(shape)
        weight = weights(np.full(shape, NOISE))
        return Daily(value, weight, warmth, np.arange(len(value)) // self.joints)


def simulate(kind: DriftFree, *, every: int = 1, seed: int = 0) -> tuple[Array, Array]:
    """Return the smallest p of a year of reports on drift-free series, each (series,).

    The first array is that of the first 20 days, the second that of the others.

    Args:
        kind: the series.
        every: days between reports from the 21st day on; before, there is one every day.
        seed: of the random numbers.
    """
    year = kind.days(YEAR, seed)
    first, later = np.ones(len(year.value)), np.ones(len(year.value))
    for days in range(LEAST_DAYS, YEAR + 1):
        if days > YOUNG and (days - YOUNG - 1) % every:
            continue
        value, weight, warmth = (x[:, :days] for x in (year.value, year.weight, year.temperature))
        daily = Daily(value, weight, warmth, year.arm)
        p = search(daily, Base.of(daily, 2.0), shapes(days)).p
        lowest = first if days <= YOUNG else later
        np.minimum(lowest, p, out=lowest)
    return first, later


def independent_tests(lowest: Array, share: float = 0.01) -> float:
    """Return C as a simulation shows it at a share of series that would alarm."""
    return share / float(np.quantile(lowest, share))
