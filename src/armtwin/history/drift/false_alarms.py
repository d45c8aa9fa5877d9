r"""The threshold of a drift alarm for a stated rate of false alarms per arm and year.

A report may be made every day, over every shape of ``regression.shapes``. Over a year without any
drift the smallest of all these probabilities p of one series lies below a small threshold with

.. math:: P(\min p < p^*) \approx C\, p^*

C counts the independent tests of a year. It was found by simulation (``simulate``; printed by
``python -m benchmarks.history --false-alarms``). With w the weights of an arm's judged series
(``WEIGHTS``) the arm has a false alarm in a year with a probability of at most ``rate`` where

.. math:: p^* = \frac{\mathrm{rate}}{C} \frac{w}{\sum w}

The first 20 days of a series are tested apart, in two phases (``PHASES``) that share the rate of a
whole year: few tests are made in them, and a year's threshold would find nothing there. An arm's
first year therefore has up to twice the stated rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError
from armtwin.history.drift.daily import DAY, MIN_DAYS, DailyValues, weights
from armtwin.history.drift.regression import Base, search, shapes
from armtwin.spatial import Array

RATE = 1e-3
"""False alarms per arm and year."""


@dataclass(frozen=True)
class Phase:
    """Some days of a series' life, judged with one threshold.

    Attributes:
        last: its last day, counted in days with data.
        tests: C, independent tests in daily reports on its days.
        share: of the rate of a year that these tests may use.
    """

    last: float
    tests: float
    share: float


PHASES = (Phase(12, 3.5, 0.5), Phase(20, 11.0, 0.5), Phase(np.inf, 900.0, 1.0))
WEIGHTS = {"friction": 5.0, "torque_constant": 1.0}
"""Parts of an arm's rate that the series of a figure get. Friction wears; torque constants hardly
change, so most of the rate is spent on friction."""
YEAR = 365
"""A year [days]."""
NOISE = (0.0012, 0.0008, 0.0012, 0.0021, 0.0036, 0.003)
"""Scatter of an identification in simulated series, relative, joint by joint."""


def threshold(rate: float, part: Array, days: NDArray[np.intp]) -> Array:
    """Return the largest probability p that is an alarm.

    Args:
        rate: false alarms per arm and year.
        part: of its arm's rate that each series gets, from its weight (S,).
        days: days with data of each series (S,).
    """
    if not 0 < rate < 1:
        raise InputError(
            f"a rate of false alarms lies between 0 and 1 per arm and year; got {rate}"
        )
    place = np.searchsorted([phase.last for phase in PHASES], days)
    per_test = np.array([phase.share / phase.tests for phase in PHASES])
    return np.asarray(rate * part * per_test[place])


@dataclass(frozen=True)
class DriftFreeSeries:
    """Series without drift to simulate.

    Attributes:
        arms: number of arms.
        joints: series an arm.
        correlation: of one day's scatter with the next.
        spread: how the joints' scatters differ, standard deviation of the logarithm.
        stated: standard errors that the identifications state, in units of their scatter.
    """

    arms: int
    joints: int = 6
    correlation: float = 0.0
    spread: float = 0.15
    stated: float = 2.0

    def days(self, count: int, seed: int) -> DailyValues:
        """Return some days of all series; temperatures vary by 5 K."""
        random, shape = np.random.default_rng(seed), (self.arms * self.joints, count)
        scatter = random.standard_normal(shape)
        for day in range(1, count):
            fresh = np.sqrt(1 - self.correlation**2) * scatter[:, day]
            scatter[:, day] = self.correlation * scatter[:, day - 1] + fresh
        scatter *= DAY * np.exp(self.spread * random.standard_normal((len(scatter), 1)))
        noise = np.broadcast_to(np.resize(NOISE, len(scatter))[:, None], shape)
        value = scatter + noise * random.standard_normal(shape)
        warmth = 25 + 5 * random.standard_normal(shape)
        weight = weights(self.stated * noise)
        return DailyValues(value, weight, warmth, np.arange(len(value)) // self.joints)


def simulate(kind: DriftFreeSeries, *, until: int = YEAR, every: int = 1, seed: int = 0) -> Array:
    """Return the smallest p in the reports on drift-free series, by phase (phases, series).

    Args:
        kind: the series.
        until: last day of the reports.
        every: days between reports in the last phase; before, there is one every day.
        seed: of the random numbers.
    """
    year = kind.days(until, seed)
    lowest = np.ones((len(PHASES), len(year.value)))
    ends = [phase.last for phase in PHASES]
    for days in range(MIN_DAYS, until + 1):
        place = int(np.searchsorted(ends, days))
        if place == len(PHASES) - 1 and (days - ends[-2] - 1) % every:
            continue
        value, weight, warmth = (x[:, :days] for x in (year.value, year.weight, year.temperature))
        daily = DailyValues(value, weight, warmth, year.arm)
        p = search(daily, Base.of(daily, 2.0), shapes(days)).p
        np.minimum(lowest[place], p, out=lowest[place])
    return lowest


def alarming(lowest: Array, joints: int, rate: float = RATE) -> int:
    """Return in how many arms of a simulation a series would alarm, in any of its phases.

    Args:
        lowest: smallest p by phase (phases, series), as ``simulate`` returns it.
        joints: series of an arm.
        rate: false alarms per arm and year.
    """
    per_test = np.array([phase.share / phase.tests for phase in PHASES])[:, None]
    over = (lowest < rate * per_test / joints).any(axis=0)
    return int(np.count_nonzero(over.reshape(-1, joints).any(axis=1)))


def independent_tests(lowest: Array, share: float = 0.01) -> float:
    """Return C as a simulation shows it at a share of series that would alarm."""
    return share / float(np.quantile(lowest, share))
