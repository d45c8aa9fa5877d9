r"""Changes of many daily series at once: temperature first, then gradual changes and steps.

A series has one value a day, the logarithm of a figure such as a joint's friction. With T the
joint's temperature and h a shape that ends at 1 on the last day,

.. math:: y_i = a + b_1 (T_i - \bar T) + b_2 (T_i - \bar T)^2 + c\, h_i + e_i,
          \qquad \mathrm{Var}\, e_i = \sigma^2 / w_i

and c is the relative change until the last day that temperature does not explain. Shapes are a
line over all days, and lines and steps that begin m days before the last. The shape that explains
most is tested with

.. math:: t = c / (s_c \sqrt{(1 + \varphi) / (1 - \varphi)})

where :math:`\varphi` is the correlation of one day's residual with the next day's, so that slow
wander about the mean does not count as many independent days. It is estimated from all series of an
arm together. The scatter :math:`\sigma` is that of the days about the fitted change, never an
assumption.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from armtwin.history.drift.daily import MIN_DAYS, DailyValues, dot
from armtwin.history.drift.scatter import correlation, moderated
from armtwin.spatial import Array

WINDOWS = (5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640)
"""Days before the last at which a change may begin when all series are searched."""
MIN_BEFORE, MIN_WITHIN = 5, 4
"""Days with data that a change needs before it and in it."""
CURVED_KELVIN, CURVED_DAYS = 10.0, 30
"""Range of temperature [K] and days from which on the curve over temperature is a parabola."""
COLLINEAR = 1e-3
"""Shapes are left out where this share of them or less is independent of temperature."""


@dataclass(frozen=True)
class ChangeShape:
    """A change over time that ends at 1.

    Attributes:
        kind: ``line`` or ``step``.
        days: days from its beginning to the last; 0: it begins with the record.
        length: days that a line takes; 0: until the last.
    """

    kind: str
    days: int
    length: int = 0


def courses(among: list[ChangeShape], days: int) -> Array:
    """Return the courses of shapes over the last ``days`` days (days, K), 1 on the last."""
    age = np.arange(days - 1, -1, -1.0)[:, None]
    start = np.array([shape.days or days - 1 for shape in among], float)
    length = np.array([shape.length for shape in among], float)
    step = np.array([shape.kind == "step" for shape in among])
    line = np.clip((start - age) / np.where(length > 0, length, start), 0.0, 1.0)
    return np.where(step, age < start, line)


def shapes(days: int) -> list[ChangeShape]:
    """Return the shapes that are searched in a record of some days."""
    ends = [m for m in WINDOWS if m <= days - MIN_BEFORE]
    both = [ChangeShape(kind, m) for kind in ("line", "step") for m in ends]
    return [ChangeShape("line", 0), *both]


@dataclass(frozen=True, eq=False)
class Base:
    """Model without a change: orthonormal columns and the residuals of the values.

    Attributes:
        root: (S, D), square roots of the weights.
        columns: (B, S, D), orthonormal; zero where a series has no such column.
        rank: (S,) columns in use.
        rest: (S, D), weighted values less their part in the columns.
    """

    root: Array
    columns: Array
    rank: NDArray[np.intp]
    rest: Array

    @staticmethod
    def of(daily: DailyValues, least_kelvin: float) -> Base:
        """Return mean and temperature curve; temperature counts from a range of kelvin on."""
        root = np.sqrt(daily.weight)
        kelvin, total = daily.kelvin, daily.weight.sum(axis=1, keepdims=True)
        warm = np.nan_to_num(daily.temperature)
        centred = warm - (daily.weight * warm).sum(axis=1, keepdims=True) / np.maximum(
            total, 1e-300
        )
        linear = (kelvin >= least_kelvin)[:, None]
        curved = ((kelvin >= CURVED_KELVIN) & (daily.days >= CURVED_DAYS))[:, None]
        raw = [root, np.where(linear, root * centred, 0.0)]
        if curved.any():
            raw.append(np.where(curved, root * centred**2, 0.0))
        columns: list[Array] = []
        for column in raw:
            size = dot(column, column)
            for known in columns:
                column = column - known * dot(known, column)[:, None]
            left = dot(column, column)
            usable = left > COLLINEAR * np.maximum(size, 1e-300)
            scale = np.where(usable, 1 / np.sqrt(np.where(usable, left, 1.0)), 0.0)
            columns.append(column * scale[:, None])
        rest = root * daily.value
        for known in columns:
            rest = rest - known * dot(known, rest)[:, None]
        stacked = np.stack(columns)
        return Base(root, stacked, np.count_nonzero(stacked.any(axis=2), axis=0), rest)

    def without(self, shape: Array) -> Array:
        """Return weighted shapes (S, D) less their part in the columns."""
        left = self.root * shape
        for known in self.columns:
            left = left - known * dot(known, left)[:, None]
        return left


@dataclass(frozen=True, eq=False)
class Changes:
    """The change of every series that explains most, with its test.

    Attributes:
        shape: index into ``shapes`` (S,); -1 where a series has too few days.
        change: relative change until the last day (S,).
        error: its standard error (S,).
        freedom: degrees of freedom (S,).
        p: two-sided probability of such a t by chance, for this one shape (S,).
        scatter: standard deviation of a day of mean weight about the fit (S,).
        correlation: of one day's residual with the next (S,).
    """

    shape: NDArray[np.intp]
    change: Array
    error: Array
    freedom: Array
    p: Array
    scatter: Array
    correlation: Array


def search(daily: DailyValues, base: Base, among: list[ChangeShape]) -> Changes:
    """Return for every series the shape that explains most.

    Args:
        daily: the series.
        base: their means and temperature curves.
        among: the shapes that are tried.
    """
    days = daily.value.shape[1]
    H = courses(among, days)
    seen = (daily.weight > 0).astype(float)
    within = seen @ (H > 0)
    before = daily.days[:, None] - within
    whole = np.array([shape.days == 0 for shape in among])
    allowed = ((within >= MIN_WITHIN) & (before >= MIN_BEFORE)) | whole
    allowed &= (daily.days >= MIN_DAYS)[:, None]
    along = (base.root * base.rest) @ H
    size = daily.weight @ H**2
    left = size.copy()
    for known in base.columns:
        left -= ((base.root * known) @ H) ** 2
    allowed &= left > COLLINEAR * size
    gain = np.where(allowed, along**2 / np.where(allowed, left, 1.0), -1.0)
    best = gain.argmax(axis=1)
    rows = np.arange(len(best))
    found = allowed[rows, best]
    coefficient = np.where(
        found, along[rows, best] / np.where(found, left[rows, best], 1.0), np.nan
    )
    scale = np.where(whole[best], daily.span(), 1.0)
    return _tested(daily, base, (np.where(found, best, -1), coefficient, scale), H)


def _tested(
    daily: DailyValues, base: Base, chosen: tuple[NDArray[np.intp], Array, Array], H: Array
) -> Changes:
    """Return the chosen changes with their standard errors and probabilities.

    Args:
        daily: the series.
        base: mean and temperature curve.
        chosen: index of the chosen shape, its coefficient, and its size on a series' own days (S,).
        H: the shapes (D, K).
    """
    best, coefficient, scale = chosen
    shape = base.without(H.T[best])
    residual = base.rest - shape * np.nan_to_num(coefficient)[:, None]
    freedom = np.maximum(daily.days - base.rank - 1.0, 1.0)
    variance, freedom = moderated(daily, dot(residual, residual) / freedom, freedom)
    phi = correlation(residual, daily)
    stretch = (1 + phi) / (1 - phi)
    size = np.maximum(dot(shape, shape), 1e-300)
    error = np.sqrt(variance / size * stretch)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(coefficient) / error
    p = np.where(best >= 0, 2 * stdtr(freedom, -np.nan_to_num(t, posinf=1e300)), 1.0)
    scatter = np.sqrt(variance * daily.days / np.maximum(daily.weight.sum(axis=1), 1e-300))
    return Changes(best, coefficient * scale, error * scale, freedom, p, scatter, phi)
