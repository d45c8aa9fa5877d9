"""The posterior: an estimate of the parameter vector with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.identification.estimation.hac import Uncertainty, scaled_inverse
from armtwin.identification.estimation.normal_equations import Noise
from armtwin.identification.parameters.vector import Indices, ParameterLayout, Prior
from armtwin.spatial import Array

CHANCE = 1e-3
"""Probability below which a conflict is not put down to chance."""


@dataclass(frozen=True)
class Posterior:
    """An estimate of the parameter vector with its uncertainty.

    Attributes:
        vector: all entries (size,).
        prior: mean and precision before these data, and the free entries.
        uncertainty: HAC covariance of the free entries, the prior included.
        information: Fisher information of the data alone on the free entries (k, k).
        noise: spread and correlation length of the residuals.
        rounds: Gauss-Newton steps taken.
        bound: entries at a bound.
    """

    vector: Array
    prior: Prior
    uncertainty: Uncertainty
    information: Array
    noise: Noise | None
    rounds: int
    bound: Indices

    @property
    def covariance(self) -> Array:
        """Covariance of the free entries (k, k)."""
        return self.uncertainty.covariance

    @property
    def factor(self) -> float:
        """Half width of a 95 % interval in standard errors."""
        return self.uncertainty.factor

    @property
    def standard_errors(self) -> Array:
        """Standard error of every entry (size,); 0 where it is not free."""
        full = np.zeros(self.vector.size)
        full[self.prior.free] = np.sqrt(np.clip(np.diag(self.covariance), 0, None))
        return full

    def as_prior(self) -> Prior:
        """Return this estimate as the prior for further data."""
        precision = self.prior.precision.copy()
        precision[np.ix_(self.prior.free, self.prior.free)] = self.uncertainty.precision
        return Prior(self.vector, precision, self.prior.free, self.prior.file)


def prior_conflict(posterior: Posterior, indices: Indices) -> float:
    r"""Return the ratio by which some entries differ from their prior more than expected.

    With the score s of covariance S and a prior of precision P,

    .. math:: \delta = (H + P)^{-1} (s + H (\theta - \theta_0)), \qquad
              r = \frac{\delta^T P \delta}{\mathrm{tr}(A)}, \quad
              A = P\, \mathrm{Cov}(\delta)

    over the entries at ``indices``. Returns 1 where r is not significant at the level ``CHANCE``
    (chi squared with ``tr(A)^2 / tr(A^2)`` degrees of freedom).
    """
    from scipy.stats import chi2

    free = posterior.prior.free
    P = posterior.prior.precision[np.ix_(free, free)]
    inverse = scaled_inverse(posterior.information + P)
    moved = inverse @ posterior.information
    C = posterior.covariance - inverse @ P @ inverse + moved @ scaled_inverse(P) @ moved.T
    own = np.isin(free, indices)
    inner = P[np.ix_(own, own)]
    A = inner @ C[np.ix_(own, own)]
    apart = (posterior.vector - posterior.prior.mean)[free][own]
    ratio = float(apart @ inner @ apart) / float(np.trace(A))
    freedom = float(np.trace(A)) ** 2 / float(np.trace(A @ A))
    return ratio if ratio > chi2.isf(CHANCE, freedom) / freedom else 1.0


def combined(file: Prior, target_fit: Posterior, indices: Indices, target_weight: float) -> Prior:
    r"""Return the prior of the arm file combined with the target fit, weighted by ``t``.

    .. math:: P = P_0 + t (P_1 - P_0), \qquad
              P \mu = (1 - t) P_0 \mu_0 + t P_1 \mu_1

    Args:
        file: prior of the arm file.
        target_fit: estimate from the target torques.
        indices: its free entries in the layout of ``file``.
        target_weight: ``t``, 0 to 1.
    """
    after, inner = target_fit.as_prior(), np.ix_(indices, indices)
    own = np.ix_(target_fit.prior.free, target_fit.prior.free)
    first, last = file.precision[inner], after.precision[own]
    precision = first + target_weight * (last - first)
    weighted = target_weight * last @ after.mean[target_fit.prior.free]
    weighted += (1 - target_weight) * first @ file.mean[indices]
    mean, whole = file.mean.copy(), file.precision.copy()
    mean[indices] = scaled_inverse(precision) @ weighted
    whole[inner] = precision
    return Prior(mean, whole, file.free, file.file)


def reindexed(indices: Indices, size: int, layout: ParameterLayout) -> Indices:
    """Return the indices of entries of another vector in a layout.

    Only the friction part differs in length: entries before it keep their index, entries after it
    their distance from the end.

    Args:
        indices: entries of the other vector.
        size: length of the other vector.
        layout: the layout to find them in.
    """
    shift = layout.size - size
    return np.array([k if k < layout.gains.stop else k + shift for k in indices], dtype=np.intp)
