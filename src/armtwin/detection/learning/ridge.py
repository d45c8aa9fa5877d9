r"""Ridge regression of the corrections, its strength chosen by the data.

Corrections theta minimise, over windows b and joints j,

.. math:: \sum_{b,j} w_{bj} \frac{(n_{bj} + X_{bj} \theta - \tau_{bj})^2}{(c\,\sigma_j)^2}
          + \sum_i \left( \frac{\theta_i}{\gamma\, s_i} \right)^2

``sigma_j`` is what is left at each joint, found by repetition; ``c`` allows for errors that are
alike over several windows; ``s_i`` is how far a correction may reasonably go. The factors gamma,
one for the links and one for friction, maximise the evidence of the data,

.. math:: -2 \ln p = \ln\det(1 + S H S) + y^T W y - b^T (H + S^{-2})^{-1} b

so that a model that is right already is left as it is. Without a clean run large errors are cut
down (Huber), so that contacts in the run have little say.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from armtwin.detection.learning.regression import Blocks
from armtwin.errors import InputError
from armtwin.spatial import Array

CORRELATION_LENGTH = 5.0
"""Neighbouring windows overlap and share model errors; as many count as one."""
ROUNDS = 4
"""Repetitions until the residual of each joint settles; three times as many with cut errors."""
HUBER = 1.5
"""Errors beyond this many standard deviations are cut down; Huber's usual value is 1.345."""
SEEN = 3.0
"""Least effect of a correction that is fitted, at its scale, in standard deviations."""
FACTORS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, 1e-6)
"""Values of gamma that are compared by their evidence."""

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Normal:
    """The normal equations ``H theta = b`` of weighted data and the weighted square of it."""

    H: Array
    b: Array
    yy: float

    def solved(self, scale: Array) -> Array:
        """Return theta of the ridge with these scales."""
        return self._scaled(scale)[0]

    def evidence(self, scale: Array) -> float:
        """Return the log evidence of the data, but for a constant."""
        theta, log_determinant = self._scaled(scale)
        return float(-0.5 * (log_determinant + self.yy - self.b @ theta))

    def _scaled(self, scale: Array) -> tuple[Array, float]:
        """Return theta, and ln det(1 + S H S).

        ``(1 + S H S) z = S b`` with ``theta = S z``. All eigenvalues are 1 or more, but rounding
        hides the 1 where the data outweigh it by 1e16; there they are bounded from below.
        """
        inner, right = scale[:, None] * self.H * scale, scale * self.b
        if not (np.isfinite(inner).all() and np.isfinite(right).all()):
            raise InputError(
                "the clean run cannot be learned from: its torques or its motion are too large to "
                "compute with; check their units"
            )
        try:
            factor = np.linalg.cholesky(np.eye(scale.size) + inner)
        except np.linalg.LinAlgError:
            values, vectors = np.linalg.eigh(inner)
            values = 1.0 + np.maximum(values, 0.0)
            z = vectors @ ((vectors.T @ right) / values)
            return scale * z, float(np.log(values).sum())
        z = solve_triangular(factor, right, lower=True)
        z = solve_triangular(factor, z, lower=True, trans="T")
        return scale * z, 2 * float(np.log(np.diag(factor)).sum())


def ridge(
    data: Blocks, scale: Array, groups: Array, *, usable: NDArray[np.bool_], robust: bool = False
) -> tuple[Array, Array]:
    """Return theta and what it leaves at each joint (dof,) [Nm].

    Args:
        data: windows of clean runs.
        scale: how far each correction may go (size of theta,).
        groups: number of the group, 0 or 1, that shares a factor (size of theta,).
        usable: corrections that the motion can teach at all (size of theta,).
        robust: cut down large errors.

    A first pass fits everything. Corrections that could not, at their largest, be seen above what
    it leaves stay at zero: fitted to noise they would spoil motions that the runs lack.
    """
    _, sigma, _ = _repeated(data, scale, np.arange(scale.size), robust)
    seen = np.sqrt(np.mean(data.X**2, axis=0)) / sigma[:, None]
    kept = np.flatnonzero((seen.max(axis=0) * scale > SEEN) & usable)
    _, sigma, cut = _repeated(data, scale, kept, robust)
    normal = _normal(data, kept, sigma, cut)
    factors = max(
        itertools.product(FACTORS, repeat=2),
        key=lambda pair: normal.evidence(scale[kept] * np.array(pair)[groups[kept]]),
    )
    scaled = scale * np.array(factors)[groups]
    theta, sigma, _ = _repeated(data, scaled, kept, robust)
    return theta, sigma


def _normal(data: Blocks, kept: Indices, sigma: Array, cut: Array) -> Normal:
    X, missing = data.X[:, :, kept], data.measured - data.needed
    w = data.weight * cut / (CORRELATION_LENGTH * sigma) ** 2
    y = missing.reshape(-1)
    weighted = (X * w[:, :, None]).reshape(y.size, kept.size)
    return Normal(
        weighted.T @ X.reshape(y.size, kept.size), weighted.T @ y, float(y @ (w.ravel() * y))
    )


def _repeated(
    data: Blocks, scale: Array, kept: Indices, robust: bool
) -> tuple[Array, Array, Array]:
    """Return theta, zero but for the kept, what is left at each joint, and how errors were cut."""
    missing, X = data.measured - data.needed, data.X[:, :, kept]
    theta, sigma = np.zeros(scale.size), np.maximum(missing.std(axis=0), 1e-9)
    cut = np.ones_like(missing)
    for _ in range(ROUNDS * (3 if robust else 1)):
        theta[kept] = _normal(data, kept, sigma, cut).solved(scale[kept])
        left = missing - X @ theta[kept]
        if robust:
            sigma = np.maximum(1.4826 * np.median(np.abs(left), axis=0), 1e-9)
            cut = np.minimum(1.0, HUBER * sigma / np.maximum(np.abs(left), 1e-12))
        else:
            sigma = np.maximum(np.sqrt(np.average(left**2, axis=0, weights=data.weight)), 1e-9)
    return theta, sigma, cut
