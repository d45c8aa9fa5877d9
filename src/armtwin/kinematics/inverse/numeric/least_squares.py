r"""Damped least squares on the arm's own Jacobian, many starts at once.

From every start the pose error e falls by Levenberg-Marquardt steps

.. math:: \Delta q = (J^T W^2 J + \lambda I)^{-1} J^T W^2 e, \qquad \lambda = \mu \, |W e|^2

W weighs metres against radians by the arm's size. The damping vanishes with the error, so that the
steps become Newton steps and converge quadratically; mu grows if a step increased the error. Joints
at a limit that would leave it are fixed for that step.
"""

from __future__ import annotations

import numpy as np

from armtwin.compile.derived import derived
from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.kinematics.inverse.target import error_and_jacobian, residual
from armtwin.kinematics.joint_limits import UNLIMITED, Bounds, Rows, is_revolute
from armtwin.model.arm import Arm
from armtwin.spatial import Array

SOLVED = 1e-9
"""Pose error of a solution (metres and radians, see ``residual``)."""
ROUNDING = 2e-14
"""Pose error at which a descent ends: rounding."""
LONGEST_STEP = 1.0
"""Largest change of a joint in one step [rad | m]."""
MIN_DAMPING = 1e-14
"""Relative to the squared norm of J, so that singular systems can be solved."""
PATIENCE = 6
"""Steps without progress after which a descent ends."""
STEPS = 80
"""Largest number of steps of a descent."""
RANDOM_SEED = 20240607
"""Of the random starts, so that results repeat."""
WHOLE, POSITION = np.ones(6), np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
"""Masks: which entries of the pose error count, in the axes of the goal."""


def descend(
    arm: Arm, goals: Array, q: Array, bounds: Bounds, weights: Array, steps: int
) -> tuple[Array, Array]:
    """Return joint vectors (n, dof) and pose errors (n, 6) after descending in NumPy, all at once.

    Args:
        arm: the arm.
        goals: one target (16,), or one per start (n, 16), as ``as_target`` returns them.
        q: starts (n, dof) within the limits.
        bounds: limits that the descent keeps.
        weights: of the entries of the error (6,); 0 for those that do not count.
        steps: largest number of steps.
    """
    state = _Descent(arm, goals, q, weights)
    for _ in range(steps):
        rows = state.open_rows()
        if not len(rows):
            break
        state.step(rows, bounds)
    return state.q, state.error


class _Descent:
    """Joint vectors during the descent, with their errors, Jacobians and damping."""

    def __init__(self, arm: Arm, goals: Array, q: Array, weights: Array) -> None:
        self.arm, self.q = arm, q.copy()
        self.goals = np.broadcast_to(goals, (len(q), 16))
        self.error, self.J = error_and_jacobian(arm, self.q, self.goals)
        self.weight = weights
        self.cost = self._cost(self.error)
        self.mu = np.full(len(q), 1e-2)
        self.stuck = np.zeros(len(q), int)

    def open_rows(self) -> Rows:
        """Return the rows that have neither converged nor stalled."""
        wanted = residual(self.error * (self.weight != 0))
        return np.flatnonzero((wanted > ROUNDING) & (self.stuck < PATIENCE))

    def step(self, rows: Rows, bounds: Bounds) -> None:
        """Try one step in every row; keep those that reduce the error."""
        old = self.cost[rows]
        trial = bounds.clip(self.q[rows] + self._direction(rows, bounds))
        error, J = error_and_jacobian(self.arm, trial, self.goals[rows])
        cost = self._cost(error)
        better = cost < old
        kept = rows[better]
        self.q[kept], self.J[kept], self.error[kept] = trial[better], J[better], error[better]
        self.cost[kept] = cost[better]
        self.mu[rows] = np.clip(self.mu[rows] * np.where(better, 0.2, 10.0), 1e-8, 1e8)
        self.stuck[rows] = np.where(cost > 0.999 * old, self.stuck[rows] + 1, 0)

    def _direction(self, rows: Rows, bounds: Bounds) -> Array:
        J, e = self.J[rows] * self.weight[:, None], self.error[rows] * self.weight
        downhill = (e[:, None, :] @ J)[:, 0]
        q = self.q[rows]
        held = ((q >= bounds.upper) & (downhill > 0)) | ((q <= bounds.lower) & (downhill < 0))
        J = np.where(held[:, None, :], 0.0, J)
        size = np.maximum((J**2).sum(axis=(1, 2)), 1e-12)
        damping = np.maximum(self.mu[rows] * self.cost[rows], MIN_DAMPING * size)
        dq = _damped_step(J, e, damping)
        longest = np.abs(dq).max(axis=-1, keepdims=True)
        return np.asarray(dq * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300)))

    def _cost(self, error: Array) -> Array:
        return np.asarray(((self.weight * error) ** 2).sum(axis=-1))


def _damped_step(J: Array, e: Array, damping: Array) -> Array:
    """Return ``(J^T J + lambda I)^-1 J^T e``, which equals ``J^T (J J^T + lambda I)^-1 e``."""
    J_t = np.swapaxes(J, -1, -2)
    eye = damping[:, None, None] * np.eye(6)
    return np.asarray((J_t @ np.linalg.solve(J @ J_t + eye, e[..., None]))[..., 0])


def scale(arm: Arm) -> Array:
    """Return the weights (6) that make metres comparable to radians: 1 / the arm's size [1/m]."""
    kept = derived(arm)
    if "scale" not in kept:
        q = np.random.default_rng(RANDOM_SEED).uniform(-np.pi, np.pi, (32, arm.dof))
        J = kernel(arm, tool_pose_equations.jacobian)(q)[0]
        metre = 1 / max(float(np.linalg.norm(J[:, :3], axis=1).mean()), 1e-6)
        kept["scale"] = np.array([metre] * 3 + [1.0] * 3)
    found: Array = kept["scale"]
    return found


def starts(arm: Arm, bounds: Bounds, number: int, *, first: Array, attempt: int = 0) -> Array:
    """Return start vectors (number, dof): ``first``, then random ones, the same in every run.

    A revolute joint starts within one turn about the middle of its limits, a prismatic one without
    limits within 1 m of zero.

    Args:
        arm: the arm.
        bounds: joint limits.
        number: of start vectors.
        first: the first of them (dof,) [rad | m].
        attempt: number of the attempt, from 0; each draws other random vectors.
    """
    span = np.where(is_revolute(arm), np.pi, 1.0)
    lower = np.where(bounds.lower > -UNLIMITED / 2, bounds.lower, -span)
    upper = np.where(bounds.upper < UNLIMITED / 2, bounds.upper, span)
    half = 0.5 * (upper - lower)
    half = np.where(is_revolute(arm), np.minimum(half, np.pi), half)
    random = np.random.default_rng(RANDOM_SEED + attempt)
    q = 0.5 * (lower + upper) + half * random.uniform(-1, 1, (number, arm.dof))
    if attempt == 0:
        q[0] = first
    return np.asarray(q)
