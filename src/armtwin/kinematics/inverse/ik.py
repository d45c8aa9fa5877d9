"""Inverse kinematics of one pose."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.kinematics.inverse.batch import ik_batch as ik_batch
from armtwin.kinematics.inverse.closed_form import branches, polish
from armtwin.kinematics.inverse.compiled import closed_call, prepare_closed_call
from armtwin.kinematics.inverse.search import near_closed_form, searched
from armtwin.kinematics.inverse.solutions import (
    SINGULAR,
    Candidates,
    Solutions,
    measured,
    regular_solutions,
)
from armtwin.kinematics.inverse.structure.forms import Form, nearest_form
from armtwin.kinematics.inverse.target import as_target
from armtwin.kinematics.inverse.unreachable import beyond_limits, out_of_reach
from armtwin.kinematics.joint_limits import Bounds, distinct
from armtwin.kinematics.joint_limits import images as turned_images
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE, Array


def ik(
    arm: ArmLike,
    T: ArrayLike,
    *,
    seed: ArrayLike | None = None,
    ignore_limits: bool = False,
    images: bool = False,
) -> Solutions:
    """Return the joint vectors that take the tool to the pose ``T``, nearest to the seed first."""
    if not images:
        ready = _ready(arm, T, seed, ignore_limits)
        if ready is not None:
            return ready
    arm = as_arm(arm)
    start = _seed(arm, seed)
    pose = _one_pose(T)
    form = nearest_form(arm)
    if form is not None and closed_call(arm, ignore_limits) is None:
        prepare_closed_call(arm, form, ignore_limits)
    bounds = Bounds.of(arm, ignore_limits=ignore_limits)
    found = _candidates(arm, form, pose, bounds, start)
    if images:
        q, rows = turned_images(arm, found.q)
        found = dataclasses.replace(found.take(rows), q=q)
    offset = found.q - start
    found = found.take(np.argsort((offset * offset).sum(axis=1), kind="stable"))
    return measured(arm, found, _notes(arm, found))


ZERO = {6: np.zeros(6), 7: np.zeros(7)}


def _ready(arm: object, T: object, seed: object, ignore_limits: bool) -> Solutions | None:
    """Return the solutions of an ordinary pose by the compiled call, or None."""
    call = closed_call(arm, ignore_limits)
    if call is None or type(T) is not np.ndarray or T.shape != (4, 4):
        return None
    start = ZERO[len(call.bounds.lower)] if seed is None else seed
    done = call.run(T.ravel(), call.form, call.bounds.lower, call.bounds.upper, start)
    if done is None:
        return None
    q, residuals, turns, numbers = done
    count = int(numbers.item(0))
    return (
        regular_solutions(q[:count], residuals[:count], turns[:count], call.method)
        if count > 0
        else None
    )


def _seed(arm: Arm, seed: ArrayLike | None) -> Array:
    if seed is None:
        return np.zeros(arm.dof)
    start = as_joints(arm, seed, ignore_limits=True, name="seed")
    if start.ndim != 1:
        raise InputError(f"the seed has shape {start.shape}; expected one vector ({arm.dof},)")
    return start


def _one_pose(T: ArrayLike) -> Array:
    """Return one finite pose as (16,), not yet checked for being rigid."""
    try:
        pose = np.asarray(T, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the target pose must be 4x4 numbers: {error}") from error
    if pose.shape != (4, 4):
        raise InputError(
            f"ik takes one pose (4, 4), got shape {pose.shape}; for many poses use armtwin.ik_batch"
        )
    if not np.isfinite(pose).all():
        raise InputError("the target pose holds NaN or infinity; every entry must be finite")
    return pose.reshape(16)


def _candidates(
    arm: Arm, form: Form | None, pose: Array, bounds: Bounds, seed: Array
) -> Candidates:
    if form is not None and form.exact:
        return _closed_form(arm, form, pose, bounds, seed)
    goal = as_target(pose.reshape(4, 4))
    found = near_closed_form(arm, form, goal, bounds, seed) if form is not None else None
    return found if found is not None else searched(arm, goal, bounds, seed)


def _closed_form(arm: Arm, form: Form, pose: Array, bounds: Bounds, seed: Array) -> Candidates:
    """Return every branch within limits; coincident ones count as one."""
    found = branches(form, pose, bounds, seed)
    if not found.flaw <= ORTHOGONAL_TOLERANCE:
        as_target(pose.reshape(4, 4))
    reached = polish(arm, found, bounds, seed)
    if not reached.any():
        raise out_of_reach(arm, form, found)
    rows = np.flatnonzero(reached & (found.excess <= 0))
    if not len(rows):
        raise beyond_limits(arm, found.q[reached])
    q, least = found.q[rows], found.sines[rows].min(axis=1)
    free = found.free[rows].astype(np.int64)
    result = Candidates(q, found.goal, "closed form", free, least < SINGULAR)
    near_singular = least.min() < 10 * SINGULAR
    return result.take(distinct(arm, q, -least)) if near_singular else result


def _notes(arm: Arm, found: Candidates) -> tuple[str, ...]:
    notes = []
    for joint in sorted(set(found.free[found.free > 0].tolist())):
        notes.append(
            f"joint {joint} is free where joint {joint - 1} lines it up with joint {joint - 2}: "
            "its angle is the seed's, or the nearest reachable one"
        )
    if arm.dof > 6:
        notes.append(
            "the arm has more than six joints: these are samples of infinitely many solutions"
        )
    return tuple(notes)
