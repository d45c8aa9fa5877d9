"""An estimate of the vector with everything that says how good it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.identification.estimation.hac import Uncertainty
from armtwin.identification.estimation.normal_equations import Noise
from armtwin.identification.parameters.vector import Places, Prior
from armtwin.spatial import Array


@dataclass(frozen=True)
class Posterior:
    """An estimate with everything that says how good it is.

    Attributes:
        vector: all entries.
        belief: mean and precision before these data, and which entries are free.
        doubt: covariance of the free entries, HAC, the prior's doubt included.
        information: what the data alone say about the free entries (k, k).
        noise: spread and persistence of the residuals.
        rounds: steps taken.
        bound: entries that stand at a bound.
    """

    vector: Array
    belief: Prior
    doubt: Uncertainty
    information: Array
    noise: Noise | None
    rounds: int
    bound: Places

    @property
    def covariance(self) -> Array:
        """Of the free entries (k, k)."""
        return self.doubt.covariance

    @property
    def factor(self) -> float:
        """A 95 % interval reaches so many standard deviations either way."""
        return self.doubt.factor

    @property
    def deviations(self) -> Array:
        """Standard deviation of every entry (size,); 0 where it was not free."""
        full = np.zeros(self.vector.size)
        full[self.belief.free] = np.sqrt(np.clip(np.diag(self.covariance), 0, None))
        return full

    def posterior(self) -> Prior:
        """Return this estimate as the belief before further data."""
        precision = self.belief.precision.copy()
        precision[np.ix_(self.belief.free, self.belief.free)] = self.doubt.precision
        return Prior(self.vector, precision, self.belief.free, self.belief.file)
