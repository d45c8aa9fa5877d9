"""Descents from many starts, in compiled code where there is some, else in NumPy."""

from __future__ import annotations

import numpy as np

from armtwin.kinematics.inverse.numeric.compiled_descent import descent_loop
from armtwin.kinematics.inverse.numeric.least_squares import STEPS, WHOLE, descend, scale
from armtwin.kinematics.joint_limits import Bounds
from armtwin.model.arm import Arm
from armtwin.spatial import Array


def converge(
    arm: Arm,
    goals: Array,
    starts: Array,
    bounds: Bounds,
    *,
    mask: Array = WHOLE,
    steps: int = STEPS,
) -> tuple[Array, Array]:
    """Return joint vectors (n, dof) and pose errors (n, 6) after descending from every start.

    Args:
        arm: the arm.
        goals: one target (16,), or one per start (n, 16), as ``as_target`` returns them.
        starts: joint vectors (n, dof).
        bounds: limits that the descent keeps.
        mask: 1 for entries of the error (6,) that count, 0 for the others.
        steps: largest number of steps.
    """
    if not len(starts):
        return starts.copy(), np.zeros((0, 6))
    weights = mask * scale(arm)
    loop = descent_loop(arm, "descend", steps=steps)
    if loop is None:
        return descend(arm, goals, bounds.clip(starts), bounds, weights, steps)
    rows = len(starts)
    q, error = np.empty((rows, arm.dof)), np.empty((rows, 6))
    targets = np.ascontiguousarray(np.broadcast_to(goals, (rows, 16)))
    first = np.ascontiguousarray(starts, np.float64)
    loop.run([first, targets, bounds.lower, bounds.upper, weights], [q, error])
    return q, error
