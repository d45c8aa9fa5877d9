"""The redundancy of seven-joint arms: which arm angle, or which q7."""

from __future__ import annotations

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.errors import InputError
from armtwin.kinematics.inverse.closed_form import BORDER_MARGIN, EXACT_MARGIN, OWN, branches
from armtwin.kinematics.inverse.structure.forms import Form
from armtwin.kinematics.joint_limits import UNLIMITED, Bounds
from armtwin.model.arm import Arm
from armtwin.spatial import Array

VALUES = 72
"""Values over a whole turn that are compared: every 5 degrees."""


def grid(around: tuple[float, float] = OWN) -> Array:
    """Return redundancies (n, 2) over a whole turn, in order of their distance from the first."""
    steps = np.arange(VALUES)
    away = np.where(steps % 2, 1, -1) * ((steps + 1) // 2) * (2 * np.pi / VALUES)
    return np.column_stack([around[0] + away, np.full(VALUES, around[1])])


def as_redundancy(arm: Arm, form: Form | None, value: float) -> Array:
    """Return a value given by the caller as the closed form reads it.

    Args:
        arm: the arm.
        form: its closed form, or None.
        value: angle [rad].

    Raises:
        InputError: not a finite number, or an arm without redundancy.
    """
    if form is None or not form.redundancy:
        raise InputError(
            f"arm {arm.name!r} has no arm angle: redundancy is for seven joints with a spherical "
            "shoulder; leave it out"
        )
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"redundancy is {value!r}; expected an angle [rad]") from error
    if not abs(number) <= UNLIMITED:
        raise InputError(f"redundancy is {number}; expected a finite angle [rad]")
    return np.array([number, 0.0])


def best_redundancy(
    arm: Arm, form: Form, pose: Array, bounds: Bounds, seed: Array | None
) -> Array | None:
    r"""Return the redundancy (2,) whose branches suit best, or None where all are out of limits.

    With a seed the one with the solution nearest to it. Otherwise the one of the largest
    manipulability times distance from the joint limits,

    .. math:: \sqrt{\det(J J^T)} \; \min_i \frac{4 (q_i - l_i)(u_i - q_i)}{(u_i - l_i)^2}

    Args:
        arm: the arm.
        form: its closed form.
        pose: one target (16,).
        bounds: joint limits.
        seed: joint vector (7,), or None.
    """
    values = grid()
    near = np.zeros(arm.dof) if seed is None else seed
    found = branches(form, pose, bounds, near, values)
    least = EXACT_MARGIN if form.exact else BORDER_MARGIN
    rows = np.nonzero((found.margin >= least) & (found.excess <= 0))
    if not len(rows[0]):
        return None
    q = found.q[rows]
    merit = -found.distance[rows] if seed is not None else _merit(arm, q, bounds)
    return np.array([found.parameter[rows[0][np.argmax(merit)]], 0.0])


def _merit(arm: Arm, q: Array, bounds: Bounds) -> Array:
    J = kernel(arm, tool_pose_equations.jacobian)(q)[0]
    gram = np.maximum(np.linalg.det(J @ np.swapaxes(J, -1, -2)), 0.0)
    span = bounds.upper - bounds.lower
    room = 4 * (q - bounds.lower) * (bounds.upper - q) / span**2
    return np.asarray(np.sqrt(gram) * np.maximum(room.min(axis=-1), 1e-6))
