"""Joint vectors along tool poses on one branch of a closed form of the inverse kinematics."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.errors import InputError, PlanError, UnreachableError
from armtwin.kinematics.forward import jacobian, link_poses
from armtwin.kinematics.inverse.ik import ik, ik_batch
from armtwin.kinematics.inverse.structure.forms import exact_form
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.continuation import place
from armtwin.spatial import Array

TURN = 2 * np.pi
REGULAR = 0.02
"""Branches whose Jacobian keeps this conditioning count as far from singularities."""


def closed_form_branches(
    arm: Arm, time: Array, poses: Array, name: str, seed: ArrayLike | None
) -> Array | None:
    """Return joint vectors (n, 6) on the best branch; None without a closed form.

    With a seed the branch that starts nearest to it is taken. Otherwise those within the joint
    limits go before the others, then those far from singularities, then the one whose links stand
    highest above the base (elbow up).

    Args:
        arm: the arm.
        time: of the poses (n,) [s].
        poses: tool in base (n, 4, 4).
        name: of the path, for messages.
        seed: joint vector (6,) [rad] that selects the branch; None for the best one.

    Raises:
        PlanError: no branch reaches every pose; the message says where and when.
    """
    form = exact_form(arm)
    if form is None or form.redundancy:
        return None
    start = np.zeros(arm.dof) if seed is None else as_joints(arm, seed, ignore_limits=True)
    if start.shape != (arm.dof,):
        raise InputError(f"the seed has shape {start.shape}; expected one vector ({arm.dof},)")
    q, valid = ik_batch(arm, poses, seed=start, ignore_limits=True)
    whole = valid.all(axis=0)
    if not whole.any():
        raise _broken(arm, time, poses, valid, name)
    curves = [_within_turns(arm, np.unwrap(q[:, k], axis=0), start) for k in np.flatnonzero(whole)]
    if seed is not None:
        return min(curves, key=lambda curve: float(np.linalg.norm(curve[0] - start)))
    return max(curves, key=lambda curve: _merit(arm, curve))


def branch_from(arm: Arm, time: Array, poses: Array, name: str, start: Array) -> Array | None:
    """Return joint vectors (n, 6) that begin at ``start``, without turns; None without closed form.

    Args:
        arm: the arm.
        time: of the poses (n,) [s].
        poses: tool in base (n, 4, 4).
        name: of the path, for messages.
        start: joint vector of the first pose (6,) [rad].

    Raises:
        PlanError: the branch does not reach every pose; the message says where and when.
    """
    form = exact_form(arm)
    if form is None or form.redundancy:
        return None
    q, valid = ik_batch(arm, poses, seed=start, ignore_limits=True)
    apart = np.abs((q[0] - start + np.pi) % TURN - np.pi).max(axis=1)
    branch = int(np.where(valid[0], apart, np.inf).argmin())
    if not valid.any(axis=1).all():
        raise _broken(arm, time, poses, valid, name)
    if not valid[:, branch].all():
        where = place(time, poses, int(valid[:, branch].argmin()))
        raise PlanError(
            f"{name}: {where}, the branch of the inverse kinematics on which the path begins ends; "
            "joints would have to jump to another one; move the path, or begin on another branch"
        )
    curve = np.unwrap(q[:, branch], axis=0)
    return np.asarray(curve + TURN * np.round((start - curve[0]) / TURN))


def _within_turns(arm: Arm, q: Array, near: Array) -> Array:
    """Return a curve (n, 6) shifted by whole turns into the limits, nearest to ``near``.

    A curve that no shift brings within the limits stays near; the check of the limits then raises.
    """
    low, high = q.min(axis=0), q.max(axis=0)
    lowest, highest = np.ceil((arm.lower - low) / TURN), np.floor((arm.upper - high) / TURN)
    nearest = np.round((near - q[0]) / TURN)
    allowed = np.clip(nearest, lowest, np.maximum(lowest, highest))
    return q + TURN * np.where(lowest <= highest, allowed, nearest)


def _merit(arm: Arm, q: Array) -> tuple[bool, bool, float]:
    some = q[:: max(1, len(q) // 50)]
    inside = bool(((q >= arm.lower) & (q <= arm.upper)).all())
    values = np.linalg.svd(jacobian(arm, some, ignore_limits=True), compute_uv=False)
    regular = bool((values[:, -1] > REGULAR * values[:, 0]).all())
    up = np.array(arm.base)[:3, 2]
    heights = link_poses(arm, some, ignore_limits=True)[:, :, :3, 3] @ up
    return inside, regular, float(heights.mean())


def _broken(arm: Arm, time: Array, poses: Array, valid: NDArray[np.bool_], name: str) -> PlanError:
    """Return the error for a track that leaves the reach of every branch."""
    lost = ~valid.any(axis=1)
    longest = int(np.argmin(valid, axis=0).max())
    row = int(np.argmax(lost)) if lost.any() else longest
    start = f"{name}: {place(time, poses, row)}, "
    if not lost.any():
        return PlanError(
            f"{start}the branch that goes furthest ends; others reach the rest, but none the whole "
            "path; split it or move it"
        )
    try:
        ik(arm, poses[row], ignore_limits=True)
    except UnreachableError as error:
        return PlanError(f"{start}the path leaves the workspace: {error}")
    return PlanError(f"{start}the path leaves the workspace")
