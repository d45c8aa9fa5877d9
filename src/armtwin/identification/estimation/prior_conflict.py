"""Test whether data contradict their prior."""

from __future__ import annotations

import numpy as np

from armtwin.identification.estimation.hac import scaled_inverse
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.parameters.vector import Indices

CHANCE = 1e-3
"""Probability below which a conflict is not put down to chance."""


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
