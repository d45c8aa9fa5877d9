"""Forward selection of single parameters, by their error on left-out data."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.calibration.data.measurements import Rows
from armtwin.calibration.fit.robust import robust_weights
from armtwin.calibration.fit.uncertainty import left_out_errors
from armtwin.calibration.pose_errors import PoseErrors
from armtwin.spatial import Array

FOLDS = 24
"""Folds of the nested cross-validation; each block is one where there are fewer."""
MAX_SINGLE, MIN_GAIN = 6, 0.002
"""Single parameters: how many at most, and what share of the error each must take away."""


@dataclass(frozen=True)
class LinearModel:
    """Errors linearised at the nominal arm.

    Attributes:
        e: errors (n, m).
        J: derivatives (n, m, parameters).
        tolerances: prior standard deviations (parameters,).
        block: number of the block that a row belongs to (n,).
        spread: robust standard deviation of every number (n, m).
    """

    e: Array
    J: Array
    tolerances: Array
    block: Rows
    spread: Array

    def fit(self, indices: list[int], rows: Rows) -> Array:
        """Return the changes (k,) that fit some rows best."""
        weights = self._weights[rows]
        J = (self.J[rows][:, :, indices] * weights[:, :, None]).reshape(weights.size, len(indices))
        A = J.T @ J + np.diag(self.tolerances[indices] ** -2.0)
        return np.asarray(-np.linalg.solve(A, J.T @ (self.e[rows] * weights).ravel()), float)

    @functools.cached_property
    def _weights(self) -> Array:
        return robust_weights(self.e, self.spread)

    def score(self, indices: list[int], rows: Rows) -> float:
        """Return the RMS error of blocks of some rows, each predicted by the others.

        Positions and rotations count in units of their spread at the nominal arm.
        """
        if not indices:
            return self._size(self.e[rows], rows)
        J = self.J[rows][:, :, indices]
        e = self.e[rows] + J @ self.fit(indices, rows)
        args = (J, e, self._weights[rows], self.tolerances[indices], self.block[rows])
        return self._size(left_out_errors(*args), rows)

    def _size(self, e: Array, rows: Rows) -> float:
        return float(np.sqrt(((e / self.spread[rows]) ** 2).sum(axis=1).mean()))

    def choose(self, indices: Sequence[int], rows: Rows) -> list[int]:
        """Return parameters, each the one that lowers the score most, while it falls enough."""
        chosen: list[int] = []
        best = self.score(chosen, rows)
        while len(chosen) < min(len(indices), MAX_SINGLE):
            scores = {p: self.score([*chosen, p], rows) for p in indices if p not in chosen}
            index = min(scores, key=lambda p: scores[p])
            if scores[index] >= (1 - MIN_GAIN) * best:
                break
            chosen, best = [*chosen, index], scores[index]
        return chosen


def nested_errors(linear: LinearModel, indices: Sequence[int]) -> PoseErrors:
    """Return the error of forward selection in nested cross-validation.

    The choice of parameters is repeated without each block (or each fold of blocks, where there
    are many), and the block is predicted by the fit to the others.
    """
    everything = np.arange(len(linear.e))
    fold_of = np.unique(linear.block, return_inverse=True)[1] % FOLDS
    predicted = np.empty_like(linear.e)
    for rows in [np.flatnonzero(fold_of == fold) for fold in np.unique(fold_of)]:
        others = np.setdiff1d(everything, rows)
        kept = linear.choose(indices, others)
        predicted[rows] = linear.e[rows] + linear.J[rows][:, :, kept] @ linear.fit(kept, others)
    return PoseErrors.of(predicted)
