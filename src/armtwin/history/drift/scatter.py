r"""Scatter of days about a fit: how large it is, and how one day's goes with the next day's.

A day's variance is that of the day itself and a part of the one that its identification states:

.. math:: \mathrm{Var}\, e_i = \tau^2 + \kappa s_i^2, \qquad 0 \le \kappa \le 1

Intervals of an identification hold errors of the model, too. These are the same on every day on
which the arm makes the same motion, so that the days scatter by less than the intervals say.

Ten days alone say little about :math:`\tau` and :math:`\kappa`. The joints of an arm stand in the
same room and run the same program, so both scatter similarly, and a regression of the other joints'
variances on what their identifications state gives the variance :math:`v_0` to expect. Each series'
own variance (f degrees of freedom) is averaged with it, as in the moderated t-test of Smyth (2004):

.. math:: v = \frac{d_0 v_0 + f v_{own}}{d_0 + f},
          \qquad \frac{1}{d_0} = \frac{1}{d_{alike}} + \frac{1}{d_{others}}

:math:`d_{others}` says how well the other joints are known, and :math:`d_{alike}` how alike joints
are. The longer a series, the more its own scatter counts.
"""

from __future__ import annotations

import numpy as np

from armtwin.history.drift.daily import DAY, MIN_DAYS, DailyValues, dot
from armtwin.spatial import Array

PRIOR_FREEDOM = 20.0
"""Degrees of freedom of the prior from other joints: scatters differ by about 17 % (standard
deviation of the logarithm)."""
PART, PART_ERROR = 0.3, 0.3
"""What is known beforehand of the part of the stated variances that scatters from day to day
(``kappa``): its mean and standard deviation. Found were 0.06 to 1.3 by joint, 0.1 where the stated
variance matters (``python -m benchmarks.history --scatter``)."""
RESTLESS = 3.0
"""Ratio of a joint's variance to the expected one above which it counts less for other joints."""
MIN_VARIANCE = 1e-12
"""Smallest variance of a day that is expected, relative."""
MAX_CORRELATION = 0.9
"""Largest correlation that is assumed; it widens intervals by sqrt((1 + phi) / (1 - phi)) = 4.4."""
SHORT = 20
"""Days below which a series' own correlation is not distinguished from that of its arm."""


def moderated(daily: DailyValues, own: Array, freedom: Array) -> tuple[Array, Array]:
    """Return variances of unit weight and their degrees of freedom, each (S,).

    Args:
        daily: the series.
        own: variance of unit weight about each series' own fit (S,).
        freedom: its degrees of freedom (S,).
    """
    assumed = daily.days / np.maximum(daily.weight.sum(axis=1), 1e-300)  # variance of a day
    stated = np.maximum(assumed - DAY**2, 0.0)
    seen, judged = own * assumed, daily.days >= MIN_DAYS
    expected = np.maximum(assumed, MIN_VARIANCE)
    for _ in range(2):  # the second time with better weights
        variance = np.maximum(expected, seen / RESTLESS)
        certain = np.where(judged, freedom / (2 * variance**2), 0.0)
        expected, error = _expected(daily, certain, stated, seen)
    others = 2 * expected**2 / np.maximum(error, 1e-300)
    prior = np.where(judged, 1 / (1 / PRIOR_FREEDOM + 1 / np.maximum(others, 1e-9)), 0.0)
    together = prior + freedom
    variance = prior * expected / np.maximum(assumed, 1e-300) + freedom * own
    return variance / together, together


def _expected(
    daily: DailyValues, certain: Array, stated: Array, seen: Array
) -> tuple[Array, Array]:
    """Return the variance of a day that the other joints let expect, and its variance, each (S,).

    Args:
        daily: the series.
        certain: inverse variances of ``seen`` (S,); 0 for series that do not count.
        stated: variance that the identifications state (S,).
        seen: variance of a day about the fit (S,).
    """
    count, x, y = (_others(daily, certain * one) for one in (np.ones(len(seen)), stated, seen))
    xx = _others(daily, certain * stated**2) + 1 / PART_ERROR**2
    xy = _others(daily, certain * stated * seen) + PART / PART_ERROR**2
    some = count > 0
    count = np.where(some, count, 1.0)
    spread = np.maximum(count * xx - x**2, 1e-300)
    part = np.clip((count * xy - x * y) / spread, 0.0, 1.0)
    day = np.maximum((y - part * x) / count, 0.0)
    error = (xx - 2 * x * stated + count * stated**2) / spread
    expected = np.where(some, part * stated + day, 0.0)
    return np.maximum(expected, MIN_VARIANCE), np.where(some, error, np.inf)


def correlation(residual: Array, daily: DailyValues) -> Array:
    r"""Return the correlation of a day's residual with the next (S,), at least 0.

    .. math:: \varphi = (r + 3.3/n) / (1 - 9.5/n), \qquad r = \sum e_i e_{i+1} / \sum e_i^2

    The search for the best shape biases r by about -(3.3 + 9.5 phi) / n, found by simulation. A
    long series counts half and the mean over its arm half, a short one less; it is never less than
    that mean and its standard error.
    """
    n = np.maximum(daily.days, SHORT)
    raw = dot(residual[:, 1:], residual[:, :-1]) / np.maximum(dot(residual, residual), 1e-300)
    judged = daily.days >= MIN_DAYS
    own = np.where(judged, (raw + 3.3 / n) / (1 - 9.5 / n), 0.0)
    count = _summed(daily, judged.astype(float))
    pooled = _summed(daily, own) / np.maximum(count, 1)
    pooled = pooled + 1 / np.sqrt(np.maximum(daily.days, 1) * np.maximum(count, 1))
    part = np.where(daily.days >= SHORT, 0.5, 0.0)
    return np.clip(np.maximum(part * own + (1 - part) * pooled, pooled), 0.0, MAX_CORRELATION)


def _summed(daily: DailyValues, values: Array) -> Array:
    """Return sums over all series of a series' arm (S,)."""
    return np.asarray(np.bincount(daily.arm, values)[daily.arm])


def _others(daily: DailyValues, values: Array) -> Array:
    """Return sums over the other series of a series' arm (S,)."""
    return _summed(daily, values) - values
