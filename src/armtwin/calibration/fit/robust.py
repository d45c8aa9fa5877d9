r"""Robust least squares with a Gaussian prior.

.. math:: \min_x \; \sum_i 3 \left( \sqrt{1 + |e_i(x)|^2 / 3} - 1 \right)
          + \tfrac12 \sum_j (x_j / s_j)^2

with errors ``e`` in units of their own spread (separate for positions, rotations and placements),
so that the cost of outliers grows linearly; ``s`` are the tolerances of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armtwin.calibration.data.measurements import Rows
from armtwin.spatial import Array

MIN_SPREAD = 1e-8
"""Smallest spread [m, rad]: rounding of controller poses."""
ROUNDS, SMALL_STEP = 60, 1e-7
"""Most steps, and the step in tolerances at which the search has converged."""
MIN_LEVER, MAX_LEVER = 0.01, 100.0
"""Bounds of the ratio of position spread to rotation spread [m/rad].

Instruments have ratios of 0.1 to 10 m/rad. A ratio far outside means that one kind is fitted
exactly while the other is not yet; the search would be stuck in the narrow valley of the first.
"""
POOLED_NUMBERS, FRAME_NUMBERS = 60, 12
"""Weights of pooling: a placement's numbers, less the 12 of its frames, against 60 of all rows."""

Errors = Callable[[Array], tuple[Array, Array]]
"""From parameters (k,) to errors (n, m) and their derivatives (n, m, k)."""


@dataclass(frozen=True)
class RobustSolution:
    """The solution, with the linearised problem there.

    Attributes:
        x: the parameters (k,).
        errors: unweighted (n, m).
        J: derivatives (n, m, k).
        spread: robust standard deviations of positions and rotations (n, m).
        weights: of every number (n, m), robust, in 1 / spread; errors times weights have spread 1.
        tolerances: the prior's standard deviations (k,).
        rounds: number of steps.
    """

    x: Array
    errors: Array
    J: Array
    spread: Array
    weights: Array
    tolerances: Array
    rounds: int

    @property
    def whitened(self) -> tuple[Array, Array]:
        """Errors (n, m) and derivatives (n, m, k) times the weights."""
        return self.errors * self.weights, self.J * self.weights[:, :, None]

    @property
    def information(self) -> Array:
        """``J^T W J + S^-2``, (k, k)."""
        _, J = self.whitened
        flat = J.reshape(self.errors.size, J.shape[2])
        return flat.T @ flat + np.diag(self.tolerances**-2.0)


def solve(errors: Errors, tolerances: Array, placement: Rows | None = None) -> RobustSolution:
    """Return the parameters that minimise the robust cost; the search starts at zero.

    Damped Gauss-Newton (Levenberg-Marquardt): the damping falls tenfold after a step that lowers
    the cost and rises tenfold after one that does not.

    Args:
        errors: the errors and their derivatives at given parameters.
        tolerances: standard deviations of the parameters before measuring (k,).
        placement: (n,) number of the placement of each row; each has its own spread.
    """
    x, damping = np.zeros(tolerances.size), 1e-6
    e, J = errors(x)
    rounds = 0
    while rounds < ROUNDS:
        rounds += 1
        spread = spreads(e, placement)
        step, damping = _step(errors, x, (e, J, spread), tolerances, damping)
        x = x + step
        e, J = errors(x)
        settled = bool((np.abs(step) < SMALL_STEP * tolerances).all())
        if settled or not step.any():
            break
    spread = spreads(e, placement)
    return RobustSolution(x, e, J, spread, robust_weights(e, spread), tolerances, rounds)


def _step(
    errors: Errors,
    x: Array,
    here: tuple[Array, Array, Array],
    tolerances: Array,
    damping: float,
) -> tuple[Array, float]:
    """Return a step that lowers the cost, or zero where none is found, and the next damping."""
    e, J, spread = here
    weights = robust_weights(e, spread)
    flat, right = (J * weights[:, :, None]).reshape(e.size, x.size), (e * weights).ravel()
    A = flat.T @ flat + np.diag(tolerances**-2.0)
    g = flat.T @ right + x / tolerances**2
    now = _cost(e, spread, x, tolerances)
    for _ in range(12):
        step: Array = -np.linalg.solve(A + damping * np.diag(np.diag(A)), g).astype(float)
        if _cost(errors(x + step)[0], spread, x + step, tolerances) <= now:
            return step, max(damping / 10, 1e-12)
        damping *= 10
    return np.zeros_like(x), damping


def spreads(e: Array, placement: Rows | None = None) -> Array:
    """Return the robust standard deviation of positions and of rotations for every number (n, m).

    Args:
        e: errors (n, 3 or 6).
        placement: (n,) number of the placement of each row; None where all rows share one.
    """
    overall = _spread(e)
    numbers = np.zeros(len(e), np.intp) if placement is None else placement
    found = np.empty_like(e)
    for number in np.unique(numbers):
        rows = numbers == number
        found[rows] = overall if rows.all() else _pooled(e[rows], overall)
    return found


def _pooled(e: Array, overall: Array) -> Array:
    """Return the spread (m,) of one placement, shrunk to that of all rows where it has few."""
    own = max(e.size - FRAME_NUMBERS, 0)
    share = own / (own + POOLED_NUMBERS)
    return _bounded(np.exp(share * np.log(_spread(e)) + (1 - share) * np.log(overall)))


def _spread(e: Array) -> Array:
    """Return the robust standard deviation of positions and rotations, per column (m,)."""
    parts = [e[:, first : first + 3] for first in range(0, e.shape[1], 3)]
    sizes = [max(1.4826 * float(np.median(np.abs(part))), MIN_SPREAD) for part in parts]
    return _bounded(np.repeat(sizes, 3))


def _bounded(spread: Array) -> Array:
    """Return spreads (3 or 6,) whose ratio lies within bounds; the smaller one is raised."""
    if spread.size == 3:
        return spread
    shift, rotation = float(spread[0]), float(spread[3])
    return np.repeat([max(shift, MIN_LEVER * rotation), max(rotation, shift / MAX_LEVER)], 3)


def robust_weights(e: Array, spread: Array) -> Array:
    r"""Return ``1 / (spread (1 + |e|^2 / 3)^{1/4})`` per number, |e| over the three of a kind."""
    parts = _whitened(e, spread)
    robust = [(1 + (part**2).sum(axis=1) / 3) ** -0.25 for part in parts]
    return np.repeat(np.stack(robust, axis=1), 3, axis=1) / spread


def _whitened(e: Array, spread: Array) -> list[Array]:
    """Return positions (n, 3) and rotations (n, 3), if any, in units of their spread."""
    return [e[:, k : k + 3] / spread[..., k : k + 3] for k in range(0, e.shape[1], 3)]


def _cost(e: Array, spread: Array, x: Array, tolerances: Array) -> float:
    parts = _whitened(e, spread)
    far = sum(float((3 * (np.sqrt(1 + (p**2).sum(axis=1) / 3) - 1)).sum()) for p in parts)
    return far + 0.5 * float(((x / tolerances) ** 2).sum())
