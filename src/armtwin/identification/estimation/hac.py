r"""Confidence intervals from heteroskedasticity- and autocorrelation-consistent (HAC) covariance.

The covariance of an estimate ``H^{-1} \sum_t s_t`` with autocorrelated scores ``s_t`` is

.. math:: C = H^{-1} (S + P) H^{-1}, \qquad
          S = \frac{1}{L} \sum_b z_b z_b^T, \quad z_b = \sum_{t=b-L+1}^{b} s_t

(Bartlett's kernel of width L, Newey and West 1987), ``P`` the prior's precision. L follows from
the autocorrelation of the scores (Andrews 1991) but is a second at least. Errors that persist for
seconds (friction that changes with position and temperature) hide below white noise between
neighbouring samples, so that the autocorrelation of sums over longer and longer bins counts as
well. Since L is not small against the run, 1.96 is replaced by the critical value for a share
``b = L / n`` (Kiefer and Vogelsang 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array

CRITICAL = (1.9600, 2.9694, 0.4160, -0.5324)
"""Critical value of a 95 % interval with Bartlett's kernel: a polynomial in L / n."""

MAX_SHARE = 0.25
"""Largest kernel width, as a share of the run; the polynomial above holds up to 1."""
MIN_SECONDS = 1.0
"""Smallest kernel width [s]: unmodelled effects last about that long."""
COARSE_SECONDS = (0.25, 0.5, 1.0)
"""Bins whose autocorrelation shows errors that persist below white noise [s]."""
MIN_BINS = 10
"""Coarse bins that a series must have to show their autocorrelation."""
SIGNIFICANT = 2.5
"""Standard errors ``1 / sqrt(n)`` beyond which coarse bins count as correlated: many are tested."""


@dataclass(frozen=True)
class Scores:
    """Scores of one run in consecutive bins (bins, k), and bins per second."""

    values: Array
    rate: float


def long_run(series: Sequence[Scores], width: float) -> Array:
    """Return S (k, k) with a kernel of ``width`` [s]; runs are independent of each other."""
    k = series[0].values.shape[1]
    S = np.zeros((k, k))
    for scores in series:
        bins = bin_count(scores, width)
        total = np.vstack([np.zeros((1, k)), np.cumsum(scores.values, axis=0)])
        late = np.vstack([total[1:], np.repeat(total[-1:], bins - 1, axis=0)])
        early = np.vstack([np.zeros((bins - 1, k)), total[: len(scores.values)]])
        z = late - early
        S += z.T @ z / bins
    return S


def bin_count(scores: Scores, width: float) -> int:
    """Return the kernel's width in bins, at least 1 and at most a quarter of the run."""
    most = max(1, int(MAX_SHARE * len(scores.values)))
    return int(np.clip(np.ceil(width * scores.rate), 1, most))


def kernel_width(series: Sequence[Scores]) -> float:
    """Return the kernel width [s] for the scores' autocorrelation, a second or more.

    It is the largest of those that the scores themselves and their sums over coarse bins require.
    White noise of the scores averages out in these, slow errors do not.
    """
    widths = [MIN_SECONDS, _plug_in(series)]
    for seconds in COARSE_SECONDS:
        sums = [_coarse(scores, seconds) for scores in series]
        long = [scores for scores in sums if len(scores.values) >= MIN_BINS]
        if long:
            count = sum(len(scores.values) for scores in long)
            widths.append(_plug_in(long, least=SIGNIFICANT / np.sqrt(count)))
    return max(widths)


def _plug_in(series: Sequence[Scores], least: float | None = None) -> float:
    r"""Return the kernel width L [s] for the autocorrelation of neighbouring bins.

    .. math:: L = 1.1447 (\alpha n)^{1/3}\ \text{bins}, \qquad
              \alpha = \frac{\sum_a 4 \rho_a^2 / ((1-\rho_a)^6 (1+\rho_a)^2)}
                            {\sum_a 1 / (1-\rho_a)^4}

    with the correlation :math:`\rho_a` of neighbouring bins in the a-th standardised score.

    Args:
        series: scores per run, in bins.
        least: smaller correlations count as none; None where all count.
    """
    total = np.zeros(series[0].values.shape[1])
    lagged = total.copy()
    for scores in series:
        total += (scores.values**2).sum(axis=0)
        lagged += (scores.values[1:] * scores.values[:-1]).sum(axis=0)
    known = total > 0
    if not known.any():
        return 0.0
    rho = np.clip(lagged[known] / total[known], -0.97, 0.99)
    if least is not None:
        rho = np.where(rho < least, 0.0, rho)
    noise = (1 - rho**2) ** 2
    top = float((noise * 4 * rho**2 / ((1 - rho) ** 6 * (1 + rho) ** 2)).sum())
    alpha = top / float((noise / (1 - rho) ** 4).sum())
    count = sum(len(scores.values) for scores in series)
    rate = float(np.mean([scores.rate for scores in series]))
    return 1.1447 * float(np.cbrt(alpha * count)) / rate


def _coarse(scores: Scores, seconds: float) -> Scores:
    """Return the sums over bins of some seconds; what does not fill a bin is left out."""
    width = max(1, round(seconds * scores.rate))
    count = len(scores.values) // width
    whole = scores.values[: count * width]
    return Scores(whole.reshape(count, width, -1).sum(axis=1), scores.rate / width)


@dataclass(frozen=True)
class Uncertainty:
    """Covariance of an estimate.

    Attributes:
        covariance: (k, k).
        precision: its inverse, computed without inverting it.
        factor: half width of a 95 % interval in standard errors.
    """

    covariance: Array
    precision: Array
    factor: float


def uncertainty(
    slope: Array, series: Sequence[Scores], prior: Array, least: Array | None = None
) -> Uncertainty:
    """Return the covariance of the estimate, its precision and the factor of a 95 % interval.

    Args:
        slope: ``sum psi' x x^T`` (k, k) of the data alone.
        series: scores per run, in bins.
        prior: the prior's precision (k, k).
        least: added to S for signals whose errors have a floor (target torques).
    """
    width = kernel_width(series)
    S = long_run(series, width) + prior + (0 if least is None else least)
    H = slope + prior
    inverse = scaled_inverse(H)
    C, P = inverse @ S @ inverse, H @ scaled_inverse(S) @ H
    seconds = sum(len(scores.values) / scores.rate for scores in series)
    return Uncertainty((C + C.T) / 2, (P + P.T) / 2, critical_value(width / seconds))


def scaled_inverse(M: Array) -> Array:
    """Return the inverse of a symmetric positive definite matrix with entries of any scale."""
    scale = 1 / np.sqrt(np.diag(M))
    inverse = scale[:, None] * np.linalg.inv(M * scale * scale[:, None]) * scale
    return np.asarray((inverse + inverse.T) / 2)


def correlation_length(slope: Array, series: Sequence[Scores]) -> float:
    r"""Return the correlation length in samples: the mean of S in units of its white value.

    .. math:: T = \frac{1}{k} \mathrm{tr}(H^{-1} S), \quad T \ge 1

    over the directions that the data determine at all.
    """
    S = long_run(series, kernel_width(series))
    sizes, axes = np.linalg.eigh(_scaled(slope, slope))
    known = sizes > 1e-6 * sizes[-1]
    projected = np.einsum("ik,ij,jk->k", axes, _scaled(S, slope), axes)
    return max(1.0, float(np.mean(projected[known] / sizes[known])))


def _scaled(M: Array, by: Array) -> Array:
    scale = 1 / np.sqrt(np.maximum(np.diag(by), 1e-300))
    return np.asarray(M * scale * scale[:, None])


def critical_value(share: float) -> float:
    """Return the half width of a 95 % interval in standard errors, for a kernel share L / n."""
    return float(sum(c * share**power for power, c in enumerate(CRITICAL)))
