r"""Ridge regression of the corrections, as strong as the data themselves ask for.

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

from armtwin.errors import InputError
from armtwin.observe.blocks import Blocks
from armtwin.spatial import Array

ALIKE = 5.0
ROUNDS = 4
HUBER = 1.5
SEEN = 3.0
FACTORS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, 1e-6)

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Normal:
    """The normal equations ``H theta = b`` of weighted data and the weighted square of it."""

    H: Array
    b: Array
    yy: float

    def solved(self, scale: Array) -> Array:
        """Return theta of the ridge with these scales, ``S (1 + S H S)^-1 S b``.

        In this form no eigenvalue is below 1, however exactly the data are explained.

        Raises:
            InputError: data that are not finite, or too large for floating point.
        """
        seen = np.eye(scale.size) + scale[:, None] * self.H * scale
        try:
            theta = scale * np.linalg.solve(seen, scale * self.b)
        except np.linalg.LinAlgError:
            theta = np.full(scale.size, np.nan)
        if not np.isfinite(theta).all():
            raise InputError(
                "the clean run teaches nothing: its torques and motion leave the corrections of "
                "friction and masses undetermined; check its units, or record one that moves "
                "every joint"
            )
        return np.asarray(theta)

    def evidence(self, scale: Array) -> float:
        """Return the log evidence of the data, but for a constant."""
        seen = np.eye(scale.size) + scale[:, None] * self.H * scale
        fit = self.b @ self.solved(scale)
        return float(-0.5 * (np.linalg.slogdet(seen)[1] + self.yy - fit))


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
    w = data.weight * cut / (ALIKE * sigma) ** 2
    weighted = (X * w[:, :, None]).reshape(-1, kept.size)
    y = missing.reshape(-1)
    return Normal(weighted.T @ X.reshape(-1, kept.size), weighted.T @ y, float(y @ (w.ravel() * y)))


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
