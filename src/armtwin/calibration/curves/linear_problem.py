"""The linearised fit of geometry and error curves with a Gaussian prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.calibration.curves.spectrum import MAX_TERMS, Spectrum
from armtwin.calibration.data.measurements import Rows
from armtwin.spatial import Array

FOLDS = 4
"""Folds of the cross-validation: blocks of rows (distinct joint vectors) are dealt to them."""
SEED = 5
"""Of the folds of the cross-validation, so that results repeat."""


@dataclass(frozen=True)
class NormalEquations:
    """Sums over rows for positions and for orientations: ``J^T W J`` and ``J^T W e``.

    Attributes:
        A: (kinds, k, k), one kind (positions) or two.
        g: (kinds, k).
    """

    A: Array
    g: Array

    @classmethod
    def of(cls, J: Array, e: Array, weights: Array) -> NormalEquations:
        """Return the sums.

        Args:
            J: derivatives (n, 3 or 6, k).
            e: errors (n, 3 or 6).
            weights: of the errors (n, 3 or 6), in 1 / spread.
        """
        parts = []
        for first in range(0, e.shape[1], 3):
            own = slice(first, first + 3)
            F = (J[:, own] * weights[:, own, None]).reshape(-1, J.shape[2])
            parts.append((F.T @ F, F.T @ (e[:, own] * weights[:, own]).ravel()))
        return cls(np.stack([A for A, _ in parts]), np.stack([g for _, g in parts]))

    def minus(self, other: NormalEquations) -> NormalEquations:
        """Return the sums without some rows."""
        return NormalEquations(self.A - other.A, self.g - other.g)

    def solve(self, start: Array, deviations: Array, turn_weight: float) -> Array:
        """Return the step (k,) from ``start`` to the least squares solution with the prior.

        Args:
            start: parameters (k,) where the problem was linearised, minus the prior's mean.
            deviations: standard deviations of the prior (k,); zero holds a parameter.
            turn_weight: factor of the weights of orientations.
        """
        factors = np.array([1.0, turn_weight**2])[: len(self.A)]
        A, g = np.tensordot(factors, self.A, 1), factors @ self.g
        free = deviations > 0
        s = deviations[free]
        M = A[np.ix_(free, free)] * np.outer(s, s) + np.eye(s.size)
        step = np.zeros(start.size)
        step[free] = -s * np.linalg.solve(M, s * g[free] + start[free] / s)
        return step


def prior(geometry: Array, spectrum: Spectrum, joints: int) -> Array:
    """Return the standard deviations of geometry and of the curves of all joints, (k,).

    Args:
        geometry: those of the geometry, frames and compliances.
        spectrum: the prior of the curves.
        joints: number of joints.
    """
    return np.concatenate([geometry, np.tile(spectrum.deviations(MAX_TERMS), 2 * joints)])


class CrossValidation:
    """Errors of left-out folds of blocks for any prior, at fixed weights."""

    def __init__(self, J: Array, e: Array, weights: Array, block: Rows) -> None:
        """Form the sums of every fold once.

        Args:
            J: derivatives (n, 3 or 6, k).
            e: errors (n, 3 or 6).
            weights: of the errors (n, 3 or 6).
            block: (n,) number of the block of each row.
        """
        blocks, place = np.unique(block, return_inverse=True)
        fold = np.random.default_rng(SEED).permutation(blocks.size)[place] % FOLDS
        self._J, self._e = J, e
        self._rows = [np.flatnonzero(fold == number) for number in range(FOLDS)]
        parts = [NormalEquations.of(J[rows], e[rows], weights[rows]) for rows in self._rows]
        self.whole = NormalEquations(
            np.sum([part.A for part in parts], axis=0), np.sum([part.g for part in parts], axis=0)
        )
        self._others = [self.whole.minus(part) for part in parts]

    def errors(self, start: Array, deviations: Array, turn_weight: float) -> Array:
        """Return the errors (n, 3 or 6) of every fold predicted by a fit to the others.

        Args:
            start: parameters (k,) where the problem was linearised, minus the prior's mean.
            deviations: standard deviations of the prior (k,).
            turn_weight: factor of the weights of orientations.
        """
        found = np.empty_like(self._e)
        for rows, others in zip(self._rows, self._others, strict=True):
            step = others.solve(start, deviations, turn_weight)
            found[rows] = self._e[rows] + self._J[rows] @ step
        return found


def mean_distance(errors: Array, block: Rows) -> tuple[Array, float]:
    """Return the mean position error of every block (blocks,), and of all rows [m]."""
    distance = np.linalg.norm(errors[:, :3], axis=1)
    place = np.unique(block, return_inverse=True)[1]
    return np.bincount(place, distance) / np.bincount(place), float(distance.mean())
