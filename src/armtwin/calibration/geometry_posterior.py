"""Fitted parameters with their joint uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.errors import InputError
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class GeometryPosterior:
    """Fitted parameters as a normal distribution.

    Attributes:
        model: tool poses by parameters.
        free: indices of the fitted parameters in ``model.parameters``.
        changes: fitted minus nominal value of all parameters (parameters,), 0 for held ones.
        covariance: of the fitted ones (k, k): geometry, compliances, curves, base and tool frames
            (as changes of these frames).
    """

    model: GeometryModel
    free: tuple[int, ...]
    changes: Array
    covariance: Array

    def __post_init__(self) -> None:
        """Refuse a covariance that does not fit the parameters, or is none."""
        k, C = len(self.free), np.asarray(self.covariance, float)
        if C.shape != (k, k) or not np.isfinite(C).all():
            raise InputError(
                f"the covariance has shape {C.shape}; expected finite numbers of shape ({k}, {k}), "
                "a row per fitted parameter"
            )
        scale = np.sqrt(np.maximum(np.diag(C), 1e-300))
        least = np.linalg.eigvalsh(C / np.outer(scale, scale)).min() if k else 0.0
        if not np.allclose(C, C.T, rtol=1e-9, atol=0) or least < -1e-9 * k:
            raise InputError("the covariance is not symmetric and positive semidefinite")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fitted parameters."""
        return tuple(self.model.parameters[k].name for k in self.free)

    def draws(self, count: int, rng: np.random.Generator) -> Array:
        """Return changes of all parameters (count, parameters) drawn from the distribution."""
        scale = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))  # units differ by 1e6
        values, vectors = np.linalg.eigh(self.covariance / np.outer(scale, scale))
        root = scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
        drawn = np.tile(self.changes, (count, 1))
        drawn[:, list(self.free)] += rng.standard_normal((count, len(self.free))) @ root.T
        return drawn
