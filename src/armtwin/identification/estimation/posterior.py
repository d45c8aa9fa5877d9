"""The posterior: an estimate of the parameter vector with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.identification.estimation.hac import Uncertainty
from armtwin.identification.estimation.normal_equations import Noise
from armtwin.identification.parameters.vector import Indices, Prior
from armtwin.spatial import Array


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
