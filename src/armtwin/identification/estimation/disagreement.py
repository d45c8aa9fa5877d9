"""Whether data contradict what was believed before them."""

from __future__ import annotations

import numpy as np

from armtwin.identification.estimation.hac import scaled_inverse
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.parameters.vector import Places

CHANCE = 1e-3


def disagreement(found: Posterior, places: Places) -> float:
    r"""Return how far some entries went from their belief beyond what chance would do.

    With the data's pull of covariance S and an honest belief of precision P,

    .. math:: \delta = (H + P)^{-1} (s + H (\theta - \theta_0)), \qquad
              r = \frac{\delta^T P \delta}{\mathrm{tr}(A)}, \quad
              A = P\, \mathrm{Cov}(\delta)

    over the entries at ``places``. Where r is one that chance brings once in a thousand times or
    more (chi squared with ``tr(A)^2 / tr(A^2)`` degrees of freedom), 1 is returned.
    """
    from scipy.stats import chi2

    free = found.belief.free
    P = found.belief.precision[np.ix_(free, free)]
    inverse = scaled_inverse(found.information + P)
    moved = inverse @ found.information
    C = found.covariance - inverse @ P @ inverse + moved @ scaled_inverse(P) @ moved.T
    own = np.isin(free, places)
    inner = P[np.ix_(own, own)]
    A = inner @ C[np.ix_(own, own)]
    apart = (found.vector - found.belief.mean)[free][own]
    ratio = float(apart @ inner @ apart) / float(np.trace(A))
    freedom = float(np.trace(A)) ** 2 / float(np.trace(A @ A))
    return ratio if ratio > chi2.isf(CHANCE, freedom) / freedom else 1.0
