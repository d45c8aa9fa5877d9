"""Solutions of one pose for arms without a closed form, and for partial poses."""

from __future__ import annotations

import numpy as np

from armtwin.kinematics.inverse.closed_form import branches
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import (
    POSITION,
    RANDOM_SEED,
    SOLVED,
    WHOLE,
    starts,
)
from armtwin.kinematics.inverse.position_first import position_first
from armtwin.kinematics.inverse.solutions import Candidates
from armtwin.kinematics.inverse.structure.forms import Form
from armtwin.kinematics.inverse.target import residual
from armtwin.kinematics.inverse.unreachable import beyond_limits, nothing_found
from armtwin.kinematics.joint_limits import Bounds, distinct, into_limits
from armtwin.model.arm import Arm
from armtwin.spatial import Array

STARTS = (64, 256)
"""Numbers of starts of the first and the second attempt."""
CALIBRATION_MARGIN = -0.05
"""Branches of the nominal arm further out of reach than this [m] are no starts."""
COPIES, BESIDE = 3, 0.1
"""Further starts per branch, and their standard deviation [rad]."""


def near_closed_form(
    arm: Arm, form: Form, goal: Array, bounds: Bounds, seed: Array, redundancy: Array | None = None
) -> Candidates | None:
    """Return solutions within limits by Newton steps from the branches of the nearest form.

    Near a singularity a step can leave its branch; a few starts near each branch recover it.

    Args:
        arm: the arm.
        form: the arm's nearest form.
        goal: tool pose in base, row by row (16,) [m].
        bounds: joint limits.
        seed: joint positions to stay near (dof,) [rad].
        redundancy: as for ``branches``.
    """
    unlimited = Bounds.of(arm, ignore_limits=True)
    found = branches(form, goal, unlimited, seed, redundancy)
    q = found.q[found.margin >= CALIBRATION_MARGIN]
    size = (COPIES, len(found.q), arm.dof)
    beside = np.random.default_rng(RANDOM_SEED).normal(0, BESIDE, size)[:, : len(q)]
    first = np.concatenate([q, (q + beside).reshape(-1, arm.dof)])
    q, error = converge(arm, goal, first, unlimited)
    good = residual(error) <= SOLVED
    q, excess = into_limits(arm, q[good], bounds, seed)
    if not (excess <= 0).any():
        return None
    return _candidates(arm, goal, q[excess <= 0], error[good][excess <= 0], "Newton steps")


def searched(
    arm: Arm, goal: Array, bounds: Bounds, seed: Array, mask: Array | None = None
) -> Candidates:
    """Return the solutions of damped least squares from the seed and from random starts.

    Args:
        arm: the arm.
        goal: tool pose in base, row by row (16,) [m].
        bounds: joint limits.
        seed: first start vector (dof,) [rad | m].
        mask: 1 for entries of the pose error (6,) that count; None: the whole pose.

    Raises:
        UnreachableError: no solution within the limits; the message gives the smallest error, or
            the joint that would exceed its limits.
    """
    errors, narrow = [], bounds.narrow
    counted = WHOLE if mask is None else mask
    for attempt, number in enumerate(STARTS):
        first = starts(arm, narrow, number, first=seed, attempt=attempt)
        q, error = converge(arm, goal, first, narrow, mask=counted)
        good = residual(error * counted) <= SOLVED
        if not good.any() and arm.dof < 6 and mask is None:
            q, error = position_first(arm, goal, np.concatenate([q, first]), narrow)
            good = residual(error * POSITION) <= SOLVED
        if good.any():
            q, _ = into_limits(arm, q[good], bounds, seed)
            return _candidates(arm, goal, q, error[good] * counted, "damped least squares")
        errors.append(error)
    wanted = POSITION if mask is None and arm.dof < 6 else counted
    q, error = around_limits(arm, goal, bounds, seed, wanted)
    if len(q):
        return _candidates(arm, goal, q, error * wanted, "damped least squares")
    raise nothing_found(arm, np.concatenate(errors), sum(STARTS), wanted)


def _candidates(arm: Arm, goal: Array, q: Array, error: Array, method: str) -> Candidates:
    rows = distinct(arm, q, residual(error))
    return Candidates(q[rows], goal, method, np.zeros(len(rows), np.int64))


def around_limits(
    arm: Arm, goal: Array, bounds: Bounds, seed: Array, mask: Array
) -> tuple[Array, Array]:
    """Return solutions (n, dof) within limits of descents that ignore them, and their errors.

    Raises:
        UnreachableError: there are solutions, all beyond the limits; the message names the joint.

    Args:
        arm: the arm.
        goal: the target (16,).
        bounds: joint limits.
        seed: joint vector (dof,) of the first start.
        mask: 1 for entries of the error (6,) that count.
    """
    unlimited = Bounds.of(arm, ignore_limits=True)
    first = starts(arm, unlimited, STARTS[0], first=seed)
    q, error = converge(arm, goal, first, unlimited, mask=mask)
    good = residual(error * mask) <= SOLVED
    q, excess = into_limits(arm, q[good], bounds, seed)
    if len(q) and not (excess <= 0).any():
        raise beyond_limits(arm, q)
    return q[excess <= 0], error[good][excess <= 0]
