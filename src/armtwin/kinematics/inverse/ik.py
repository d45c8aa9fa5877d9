"""Inverse kinematics of one pose."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError, UnreachableError
from armtwin.kinematics.inverse.batch import ik_batch as ik_batch
from armtwin.kinematics.inverse.closed_form import branches, other_free_angles, polish
from armtwin.kinematics.inverse.compiled import (
    closed_call,
    has_closed_call,
    prepare_closed_call,
)
from armtwin.kinematics.inverse.one_solution import as_mask
from armtwin.kinematics.inverse.redundancy import as_redundancy, best_redundancy
from armtwin.kinematics.inverse.search import near_closed_form, searched
from armtwin.kinematics.inverse.solutions import (
    SAMPLES,
    SINGULAR,
    Candidates,
    Solutions,
    measured,
    regular_solutions,
)
from armtwin.kinematics.inverse.structure.forms import Form, nearest_form
from armtwin.kinematics.inverse.target import as_one_pose, as_target
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
    mask: ArrayLike | None = None,
    redundancy: float | None = None,
) -> Solutions:
    """Return the joint vectors that take the tool to the pose ``T``, nearest to the seed first.

    Closed forms, in any convention: UR structure, spherical wrists, seven joints with a spherical
    shoulder (for one value of the redundancy); up to eight solutions. A calibrated arm is refined
    from its nearest structure by Newton steps. Other arms are solved by damped least squares from
    many starts; fewer than six joints meet the position and come near to the orientation.

    Args:
        arm: the arm, its catalogue name or its file.
        T: target pose ``T_base_tool`` (4, 4); its rotation may deviate by up to 1e-6 and is made
            exact first.
        seed: joint vector (dof,) by whose distance solutions are ordered, near which whole turns
            and free joints are chosen, and where a search starts; zero if not given.
        ignore_limits: also return solutions beyond the joint limits.
        images: also return every copy of a solution by whole turns within the limits.
        mask: which of x, y, z, rx, ry, rz count (6,), in the axes of the target; all if not given.
            Partial poses are solved by damped least squares.
        redundancy: arm angle, or q7 where only axes 5 and 6 meet, of a seven-joint arm [rad]. If
            not given: the seed's own, else the nearest that keeps the limits; without a seed the
            one of the best manipulability within limits.

    Raises:
        InputError: no rigid pose, a wrong size, coupled joints, a redundancy that is not there.
        UnreachableError: no solution; the message says why and by how much.
    """
    if not images and mask is None:
        ready = _ready(arm, T, seed, ignore_limits, redundancy)
        if ready is not None:
            return ready
    arm = as_arm(arm)
    arm.require_free_joints("inverse kinematics")
    start, pose = _seed(arm, seed), as_one_pose(T)
    form = nearest_form(arm)
    if form is not None and not has_closed_call(arm, ignore_limits):
        prepare_closed_call(arm, form, ignore_limits)
    own = None if redundancy is None else as_redundancy(arm, form, redundancy)
    bounds = Bounds.of(arm, ignore_limits=ignore_limits)
    counted = None if mask is None else as_mask(mask)
    if counted is not None:
        found = searched(arm, as_target(pose.reshape(4, 4)), bounds, start, counted)
    elif form is not None and form.redundancy:
        found = _redundant(arm, form, pose, bounds, (start if seed is not None else None, own))
    else:
        found = _candidates(arm, form, pose, bounds, start, None)
    if images:
        q, rows = turned_images(arm, found.q)
        found = dataclasses.replace(found.take(rows), q=q)
    offset = found.q - start
    found = found.take(np.argsort((offset * offset).sum(axis=1), kind="stable"))
    return measured(arm, found, _notes(arm, found, counted), counted)


def _ready(
    arm: object, T: object, seed: object, ignore_limits: bool, redundancy: float | None
) -> Solutions | None:
    """Return the solutions of an ordinary pose by the compiled call, or None."""
    call = closed_call(arm, ignore_limits)
    if call is None or (redundancy is not None and not call.redundant):
        return None
    if call.redundant and seed is None and redundancy is None:
        return None
    done = call.run(T, seed, redundancy)
    if done is None:
        return None
    return regular_solutions(*done, call.method, call.redundant)


def _seed(arm: Arm, seed: ArrayLike | None) -> Array:
    if seed is None:
        return np.zeros(arm.dof)
    start = as_joints(arm, seed, ignore_limits=True, name="seed")
    if start.ndim != 1:
        raise InputError(f"the seed has shape {start.shape}; expected one vector ({arm.dof},)")
    return start


def _redundant(
    arm: Arm, form: Form, pose: Array, bounds: Bounds, given: tuple[Array | None, Array | None]
) -> Candidates:
    """Return the branches of a seven-joint arm for the redundancy that is given, or the best.

    ``given``: the seed and the redundancy, None where they were not given.
    """
    seed, value = given
    start = np.zeros(arm.dof) if seed is None else seed
    if value is not None:
        return _candidates(arm, form, pose, bounds, start, value)
    goal = as_target(pose.reshape(4, 4))
    if seed is not None:
        try:
            return _candidates(arm, form, pose, bounds, seed, None)
        except UnreachableError:
            pass  # another value may reach the pose within the limits
    best = best_redundancy(arm, form, goal, bounds, seed)
    return (
        searched(arm, goal, bounds, start)
        if best is None
        else _candidates(arm, form, pose, bounds, start, best)
    )


def _candidates(
    arm: Arm, form: Form | None, pose: Array, bounds: Bounds, seed: Array, value: Array | None
) -> Candidates:
    if form is not None and form.exact:
        return _closed_form(arm, form, pose, bounds, (seed, value))
    goal = as_target(pose.reshape(4, 4))
    found = None
    if form is not None:
        found = near_closed_form(arm, form, goal, bounds, seed, value)
    return found if found is not None else searched(arm, goal, bounds, seed)


def _closed_form(
    arm: Arm, form: Form, pose: Array, bounds: Bounds, given: tuple[Array, Array | None]
) -> Candidates:
    """Return every branch within limits; coincident ones count as one."""
    seed, value = given
    found = branches(form, pose, bounds, seed, value)
    if not found.flaw <= ORTHOGONAL_TOLERANCE:
        as_target(pose.reshape(4, 4))
    reached = polish(arm, found, bounds, seed)
    if not reached.any():
        raise out_of_reach(arm, form, found)
    rows = np.flatnonzero(reached & (found.excess <= 0))
    if not len(rows) and found.free[reached].any():
        found, rows = other_free_angles(form, found, bounds, seed, value)
    if not len(rows):
        raise beyond_limits(arm, found.q[reached])
    q, least = found.q[rows], found.sines[rows].min(axis=1)
    free = found.free[rows].astype(np.int64)
    own = float(found.parameter) if form.redundancy else None
    result = Candidates(q, found.goal, "closed form", free, least < SINGULAR, own)
    near_singular = least.min() < 10 * SINGULAR
    return result.take(distinct(arm, q, -least)) if near_singular else result


def _notes(arm: Arm, found: Candidates, mask: Array | None) -> tuple[str, ...]:
    notes = []
    for joint in sorted(set(found.free[found.free > 0].tolist())):
        notes.append(
            f"joint {joint} is free at this pose: its angle is the seed's, or the nearest "
            "reachable one"
        )
    counted = 6 if mask is None else int(mask.sum())
    return (*notes, *(SAMPLES if arm.dof > counted else ()))
