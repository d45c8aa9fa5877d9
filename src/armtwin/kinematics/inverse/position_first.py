r"""Arms of fewer than six joints: exact position, then the nearest orientation.

Damped steps in the null space of the position reduce the orientation error; after each step the
position is restored:

.. math:: N = I - J_p^+ J_p, \quad A = J_o N, \quad
          \Delta q = N (A^T A + \lambda I)^{-1} A^T e_o

Joints at a limit that a step would leave are fixed for that step.
"""

from __future__ import annotations

import numpy as np

from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import POSITION, SOLVED
from armtwin.kinematics.inverse.target import error_and_jacobian, residual
from armtwin.kinematics.joint_limits import Bounds, Rows, distinct
from armtwin.model.arm import Arm
from armtwin.spatial import Array

RANK = 1e-7
"""Relative singular value below which the position Jacobian loses rank."""
ALL_STEPS, LAST_STEPS = 12, 150
"""Steps with all starts, then with the best ``RUNNERS``."""
RUNNERS = 12
"""Starts with the least orientation error that are followed to the end. Larger: slower; smaller:
the best orientation may be missed."""
LONGEST_SLIDE = 0.5
"""Largest change of a joint in one step [rad | m]."""
SAME_ORIENTATION = 1e-4
"""Solutions within this of the least orientation error are returned [rad]."""
SAME_SETTLED = 1e-2
"""Joint vectors closer than this [rad] are merged during the descent."""


def position_first(arm: Arm, goal: Array, q: Array, bounds: Bounds) -> tuple[Array, Array]:
    """Return joint vectors with the position of ``goal`` and the best orientation found.

    If no start reaches the position, all are returned at their nearest.

    Args:
        arm: the arm.
        goal: tool pose in base, row by row (16,) [m].
        q: start vectors (n, dof) [rad | m].
        bounds: joint limits.
    """
    q, error = converge(arm, goal, q, bounds, mask=POSITION)
    held = residual(error[:, :3]) <= SOLVED
    if not held.any():
        return q, error
    slide = _Slide(arm, goal, bounds, q[held], error[held])
    slide.settle(ALL_STEPS)
    slide.keep(np.arange(len(slide.q)))
    slide.keep(np.argsort(slide.angle, kind="stable")[:RUNNERS])
    slide.settle(LAST_STEPS)
    slide.keep(np.flatnonzero(slide.angle <= slide.angle.min() + SAME_ORIENTATION))
    return slide.q, slide.error


class _Slide:
    """Joint vectors at the target position while the orientation error is reduced."""

    def __init__(self, arm: Arm, goal: Array, bounds: Bounds, q: Array, error: Array) -> None:
        self.arm, self.goal, self.bounds = arm, goal, bounds
        self.q, self.error = q, error
        self.damping = np.full(len(q), 1e-3)
        self.stuck = np.zeros(len(q), int)

    @property
    def angle(self) -> Array:
        """Orientation error of each joint vector (n,) [rad]."""
        return residual(self.error[:, 3:])

    def keep(self, rows: Rows) -> None:
        """Continue with some of the joint vectors, one of each group that has merged."""
        rows = rows[distinct(self.arm, self.q[rows], self.angle[rows], same=SAME_SETTLED)]
        self.q, self.error, self.damping = self.q[rows], self.error[rows], self.damping[rows]
        self.stuck = np.zeros(len(rows), int)

    def settle(self, steps: int) -> None:
        """Step until no joint vector improves."""
        for _ in range(steps):
            rows = np.flatnonzero(self.stuck < 8)
            if not len(rows):
                break
            self._step(rows)

    def _step(self, rows: Rows) -> None:
        trial = self.bounds.clip(self.q[rows] + self._direction(rows))
        trial, error = converge(self.arm, self.goal, trial, self.bounds, mask=POSITION, steps=12)
        old, new = residual(self.error[rows, 3:]), residual(error[:, 3:])
        better = (residual(error[:, :3]) <= SOLVED) & (new < old)
        kept = rows[better]
        self.q[kept], self.error[kept] = trial[better], error[better]
        factor = np.where(better, 0.2, 8.0)
        self.damping[rows] = np.clip(self.damping[rows] * factor, 1e-9, 1e6)
        gained = better & (old - new > 1e-13)
        self.stuck[rows] = np.where(gained, 0, self.stuck[rows] + 1)

    def _direction(self, rows: Rows) -> Array:
        """Return the sliding steps, repeated without the joints that they drive into a limit."""
        q, e_o, damping = self.q[rows], self.error[rows, 3:], self.damping[rows]
        _, J = error_and_jacobian(self.arm, q, self.goal)
        for _ in range(self.arm.dof):
            dq = _sliding_step(J, e_o, damping)
            at_upper, at_lower = q >= self.bounds.upper, q <= self.bounds.lower
            leaving = (at_upper & (dq > 1e-12)) | (at_lower & (dq < -1e-12))
            if not leaving.any():
                break
            J = np.where(leaving[:, None, :], 0.0, J)
        longest = np.abs(dq).max(axis=-1, keepdims=True)
        return np.asarray(dq * np.minimum(1.0, LONGEST_SLIDE / np.maximum(longest, 1e-300)))


def _sliding_step(J: Array, e_o: Array, damping: Array) -> Array:
    """Return the damped orientation step in the null space of the position."""
    J_p, J_o = J[:, :3], J[:, 3:]
    N = np.eye(J.shape[2]) - np.linalg.pinv(J_p, rcond=RANK) @ J_p
    A = J_o @ N
    A_t = np.swapaxes(A, -1, -2)
    H = A_t @ A + damping[:, None, None] * np.eye(J.shape[2])
    return np.asarray((N @ np.linalg.solve(H, A_t @ e_o[..., None]))[..., 0])
