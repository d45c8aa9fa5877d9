"""The same descents in compiled code: the kernel of an arm's pose error inside inverse.c."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.compile.derived import derived
from armtwin.compile.kernel import kernel
from armtwin.compile.native.loops import MAX_JOINTS, DescentPlan, Loop, proved
from armtwin.compile.native.self_check import numpy_outputs
from armtwin.equations.kinematics import pose_error as pose_error_equations
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.kinematics.inverse.numeric.least_squares import (
    LONGEST_STEP,
    MIN_DAMPING,
    PATIENCE,
    ROUNDING,
    SOLVED,
    STEPS,
    descend,
    scale,
    starts,
)
from armtwin.kinematics.inverse.target import residual
from armtwin.kinematics.joint_limits import Bounds
from armtwin.model.arm import Arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE, Array

CHECKED = 12
"""Poses with which compiled loops are checked before they are used: a few ms."""
NEAR = 0.05
"""Offset of their starts from the solution [rad | m]."""


def descent_loop(
    arm: Arm, name: str, others: Array | None = None, steps: int = STEPS
) -> Loop | None:
    """Return a function of inverse.c that descends on the arm's model, or None.

    Args:
        arm: the arm.
        name: ``descend`` or ``first_solution``.
        others: starts (n, dof) that ``first_solution`` tries after the seed.
        steps: largest number of steps of one descent.
    """
    error = kernel(arm, pose_error_equations.error_and_jacobian)
    rigid = kernel(None, pose_error_equations.rigid)
    if error.address is None or rigid.address is None or arm.dof > MAX_JOINTS:
        return None
    kept: dict[Any, Any] = derived(arm)
    key = (name, steps)
    if others is None and key in kept:
        found: Loop | None = kept[key]
        return found
    table = np.zeros((0, arm.dof)) if others is None else np.ascontiguousarray(others)
    plan = DescentPlan(
        error=error.address,
        rigid=rigid.address,
        starts=table.ctypes.data,
        count=len(table),
        joints=arm.dof,
        steps=steps,
        patience=PATIENCE,
        solved=SOLVED,
        rounding=ROUNDING,
        longest_step=LONGEST_STEP,
        least_damping=MIN_DAMPING,
        flaw=ORTHOGONAL_TOLERANCE,
    )
    loop = proved(
        (f"{name} {arm.dof}", error.library, rigid.library),
        lambda library: Loop(library, name, plan, (error, rigid, table)),
        functools.partial(_descent_fault if others is None else _search_fault, arm),
    )
    if others is None:
        kept[key] = loop
    return loop


def check_states(arm: Arm) -> tuple[Array, Array]:
    """Return joint vectors (n, dof) within limits and their poses (n, 16), to check loops with."""
    narrow = Bounds.of(arm).narrow
    q = starts(arm, narrow, CHECKED, first=np.zeros(arm.dof), attempt=1)
    return q, kernel(arm, tool_pose_equations.tool_pose)(q)[0].reshape(CHECKED, 16)


def exact_error(arm: Arm, q: Array, goals: Array) -> Array:
    """Return pose errors (n, 6) by NumPy's functions.

    Compiled code would hide that it is wrong near its own solutions.

    Args:
        arm: the arm.
        q: joint vectors (n, dof) [rad | m].
        goals: poses (n, 16), row by row.
    """
    program = kernel(arm, pose_error_equations.error_and_jacobian).program
    return numpy_outputs(program, [q, goals])[0]


def _descent_fault(arm: Arm, loop: Loop) -> str | None:
    """Return what is wrong with compiled descents, or None.

    They end at the errors they state, within limits, and reach a pose at most where NumPy does not.
    """
    bounds, weights = Bounds.of(arm), scale(arm)
    truth, goals = check_states(arm)
    first = bounds.clip(truth + NEAR * np.cos(np.arange(truth.size)).reshape(truth.shape))
    q, error = np.empty_like(first), np.empty((CHECKED, 6))
    loop.run([first, goals, bounds.lower, bounds.upper, weights], [q, error])
    reached = residual(descend(arm, goals, first, bounds, weights, STEPS)[1]) <= SOLVED
    return _wrong_descent(arm, goals, q, error, reached)


def _search_fault(arm: Arm, loop: Loop) -> str | None:
    """Return what is wrong with ``first_solution`` from seeds near the solution, or None."""
    bounds, weights, n = Bounds.of(arm).narrow, scale(arm), arm.dof
    truth, goals = check_states(arm)
    run = loop.with_ports((16, n, n, n, 6), [(n,), (6,), ()]).fast
    q, error, tries = np.empty_like(truth), np.empty((CHECKED, 6)), np.zeros(CHECKED)
    for row, (goal, seed) in enumerate(zip(goals, bounds.clip(truth + NEAR), strict=True)):
        found = run(goal, seed, bounds.lower, bounds.upper, weights)
        if found is None:
            return None  # one state at a time goes through NumPy here
        q[row], error[row], tries[row] = found
    return _wrong_descent(arm, goals, q, error, tries > 0)


def _wrong_descent(
    arm: Arm, goals: Array, q: Array, error: Array, reached: NDArray[np.bool_]
) -> str | None:
    """Return how joint vectors (n, dof) miss what was stated of them, or None.

    Args:
        arm: the arm.
        goals: the poses (n, 16).
        q: joint vectors.
        error: the pose errors stated for them (n, 6).
        reached: which poses they should reach (n,); one in four may be missed.
    """
    bounds = Bounds.of(arm)
    true = exact_error(arm, q, goals)
    if not (np.abs(error - true) <= SOLVED).all():
        return f"inverse.c: a descent states the pose error {error[0]} where it is {true[0]}"
    if not ((q >= bounds.lower) & (q <= bounds.upper)).all():
        return "inverse.c: a descent ends beyond the joint limits"
    missed = reached & ~(residual(true) <= SOLVED)
    if missed.sum() > CHECKED // 4:
        return f"inverse.c: {missed.sum()} of {CHECKED} descents do not reach their pose"
    return None
