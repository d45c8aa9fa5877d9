r"""Scatter of days about a fit: how large it is, and how one day's goes with the next day's.

A day's variance is that of its identification, which is known, and that of the day itself:

.. math:: \mathrm{Var}\, e_i = s_i^2 + \tau^2

Ten days alone say little about :math:`\tau`. The joints of an arm stand in the same room and run
the same program, so their :math:`\tau` are alike. Each series' own variance (f degrees of freedom)
is therefore averaged with the one that the other joints let expect, as in the moderated t-test of
Smyth (2004):

.. math:: v = \frac{d_0 v_0 + f v_{own}}{d_0 + f},
          \qquad \frac{1}{d_0} = \frac{1}{d_{alike}} + \frac{1}{d_{others}}

:math:`d_{others}` says how well the other joints are known, and :math:`d_{alike}` how alike joints
are. The longer a series, the more its own scatter counts.
"""

from __future__ import annotations

import numpy as np

from armtwin.history.drift.daily import DAY, LEAST_DAYS, Daily, dot
from armtwin.spatial import Array

ALIKE = 20.0
"""Degrees of freedom for which joints count as alike: their scatters differ by about 17 % (standard
deviation of the logarithm)."""
MOST_CORRELATION = 0.9
SHORT = 20
"""Days below which a series' own correlation is not distinguished from that of its arm."""


def moderated(daily: Daily, own: Array, freedom: Array) -> tuple[Array, Array]:
    """Return variances of unit weight and their degrees of freedom, each (S,).

    Args:
        daily: the series.
        own: variance of unit weight about each series' own fit (S,).
        freedom: its degrees of freedom (S,).
    """
    assumed = daily.days / np.maximum(daily.weight.sum(axis=1), 1e-300)  # variance of a day
    known = np.maximum(assumed - DAY**2, 0.0)
    seen, judged = own * assumed, daily.days >= LEAST_DAYS
    share = np.where(judged, freedom / np.maximum(assumed, 1e-300) ** 2, 0.0)
    total, excess = _others(daily, share), _others(daily, share * (seen - known))
    noise = _others(daily, share**2 * seen**2 / freedom)
    some = total > 0
    divisor = np.where(some, total, 1.0)
    expected = np.maximum(excess / divisor, 0.0) + known
    others = np.where(some, expected**2 / np.maximum(noise / divisor**2, 1e-300), 0.0)
    prior = np.where(some & judged, 1 / (1 / ALIKE + 1 / np.maximum(others, 1e-9)), 0.0)
    together = prior + freedom
    variance = prior * expected / np.maximum(assumed, 1e-300) + freedom * own
    return variance / together, together


def correlation(residual: Array, daily: Daily) -> Array:
    r"""Return the correlation of a day's residual with the next (S,), at least 0.

    .. math:: \varphi = (r + 3.3/n) / (1 - 9.5/n), \qquad r = \sum e_i e_{i+1} / \sum e_i^2

    The search for the best shape biases r by about -(3.3 + 9.5 phi) / n, found by simulation. A
    long series counts half and the mean over its arm half, a short one less; it is never less than
    that mean and its standard error.
    """
    n = np.maximum(daily.days, SHORT)
    raw = dot(residual[:, 1:], residual[:, :-1]) / np.maximum(dot(residual, residual), 1e-300)
    judged = daily.days >= LEAST_DAYS
    own = np.where(judged, (raw + 3.3 / n) / (1 - 9.5 / n), 0.0)
    count = _summed(daily, judged.astype(float))
    pooled = _summed(daily, own) / np.maximum(count, 1)
    pooled = pooled + 1 / np.sqrt(np.maximum(daily.days, 1) * np.maximum(count, 1))
    part = np.where(daily.days >= SHORT, 0.5, 0.0)
    return np.clip(np.maximum(part * own + (1 - part) * pooled, pooled), 0.0, MOST_CORRELATION)


def _summed(daily: Daily, values: Array) -> Array:
    """Return sums over all series of a series' arm (S,)."""
    return np.asarray(np.bincount(daily.arm, values)[daily.arm])


def _others(daily: Daily, values: Array) -> Array:
    """Return sums over the other series of a series' arm (S,)."""
    return _summed(daily, values) - values
