"""Daily values of many series at once."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array

MIN_DAYS = 8
"""Days with data that any judgement needs."""
DAY = 0.005
"""Relative scatter from day to day that weights assume beyond the standard errors, so that a day
with a very small standard error does not outweigh the others. What is judged is the scatter that
the series show."""


@dataclass(frozen=True, eq=False)
class DailyValues:
    """Daily values of S series over D days, the newest last in every row.

    Attributes:
        value: (S, D); 0 where a day has no data.
        weight: (S, D), inverse variance; 0 where a day has no data.
        temperature: (S, D) [degC]; NaN rows for series without temperatures.
        arm: number of the arm that a series belongs to (S,).
    """

    value: Array
    weight: Array
    temperature: Array
    arm: NDArray[np.intp]

    @functools.cached_property
    def days(self) -> NDArray[np.intp]:
        """Days with data per series (S,)."""
        return np.count_nonzero(self.weight, axis=1)

    @functools.cached_property
    def kelvin(self) -> Array:
        """Range of temperature per series (S,) [K]; 0 without temperatures."""
        seen = np.where(self.weight > 0, self.temperature, np.nan)
        return np.nan_to_num(np.fmax.reduce(seen, axis=1) - np.fmin.reduce(seen, axis=1))

    def take(self, rows: NDArray[np.intp]) -> DailyValues:
        """Return some of the series."""
        picked = (self.value[rows], self.weight[rows], self.temperature[rows])
        return DailyValues(*picked, self.arm[rows])

    def span(self) -> Array:
        """Return which share of the days lies between a series' first and last data (S,)."""
        before, days = (self.weight > 0).argmax(axis=1), self.value.shape[1]
        return np.asarray((days - 1 - before) / max(days - 1, 1))


def weights(error: Array) -> Array:
    """Return the weights of days with these relative standard errors; 0 for infinite ones."""
    return np.asarray(1 / (error**2 + DAY**2))


def dot(a: Array, b: Array) -> Array:
    """Return the products of rows, summed over the days (S,)."""
    return np.einsum("sd,sd->s", a, b)
