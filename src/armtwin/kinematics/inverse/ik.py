"""Inverse kinematics: the joint vectors that take the tool to a pose."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.kinematics.inverse.closed_form import branches, polish
from armtwin.kinematics.inverse.closed_form import ik_batch as ik_batch
from armtwin.kinematics.inverse.search import near_closed_form, searched
from armtwin.kinematics.inverse.solutions import SINGULAR, Candidates, Solutions, measured
from armtwin.kinematics.inverse.target import as_target
from armtwin.kinematics.inverse.unreachable import beyond_limits, out_of_reach
from armtwin.kinematics.inverse.ur_structure import EXACT, URForm, nearest_ur_form
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
    """Return the joint vectors that take the tool to the pose ``T``, nearest to the seed first.

    An arm of UR structure, in whatever convention it is given, gets every solution (up to eight)
    in closed form. A calibrated one starts from the nearest UR structure and ends with Newton
    steps on its own model. Any other arm is searched by damped least squares from many starts; with
    fewer than six joints the position is met and the orientation as nearly as the arm can.

    Args:
        arm: the arm, its catalogue name or its file.
        T: target pose ``T_base_tool`` (4, 4); its rotation may be off by up to 1e-6 and is made
            exact first.
        seed: joint vector (dof,) that the solutions are ordered by, that whole turns and free
            joints stay near, and where a search starts; zero if not given.
        ignore_limits: also return solutions beyond the joint limits.
        images: also return every solution with joints turned by 2 pi within the limits.

    Raises:
        InputError: not a rigid pose, or a seed of the wrong size.
        UnreachableError: no solution; the message says why and by how much.
    """
    arm = as_arm(arm)
    start = _seed(arm, seed)
    pose = _one_pose(T)
    form, bounds = _known(arm, ignore_limits)
    found = _candidates(arm, form, pose, bounds, start)
    if images:
        q, rows = turned_images(arm, found.q)
        found = dataclasses.replace(found.take(rows), q=q)
    offset = found.q - start
    found = found.take(np.argsort((offset * offset).sum(axis=1), kind="stable"))
    return measured(arm, found, _notes(arm, found))


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
            f"ik takes one pose (4, 4), got shape {pose.shape}; for many poses of an arm of UR "
            "structure use armtwin.ik_batch, otherwise call ik for each"
        )
    if not np.isfinite(pose).all():
        raise InputError("the target pose holds NaN or infinity; every entry must be finite")
    return pose.reshape(16)


@functools.lru_cache(maxsize=256)
def _known(arm: Arm, ignore_limits: bool) -> tuple[URForm | None, Bounds]:
    """Return what every pose of the arm needs: its (nearest) UR form and its limits."""
    return nearest_ur_form(arm), Bounds.of(arm, ignore_limits=ignore_limits)


def _candidates(
    arm: Arm, form: URForm | None, pose: Array, bounds: Bounds, seed: Array
) -> Candidates:
    if form is not None and form.deviation <= EXACT:
        return _closed_form(arm, form, pose, bounds, seed)
    goal = as_target(pose.reshape(4, 4))
    found = near_closed_form(arm, form, goal, bounds, seed) if form is not None else None
    return found if found is not None else searched(arm, goal, bounds, seed)


def _closed_form(arm: Arm, form: URForm, pose: Array, bounds: Bounds, seed: Array) -> Candidates:
    """Return every branch within limits; two that meet on a border are one."""
    found = branches(form, pose, bounds, seed)
    if not found.flaw <= ORTHOGONAL_TOLERANCE:
        as_target(pose.reshape(4, 4))
    reached = polish(arm, found, bounds, seed)
    if not reached.any():
        raise out_of_reach(arm, form, found)
    rows = np.flatnonzero(reached & (found.excess <= 0))
    if not len(rows):
        raise beyond_limits(arm, found.q[reached])
    q, sines = found.q[rows], found.sines[rows]
    least = sines.min(axis=1)
    free = np.where(sines[:, 2] == 0, 6, 0)
    result = Candidates(q, found.goal, "closed form", free, least < SINGULAR)
    near_singular = least.min() < 10 * SINGULAR
    return result.take(distinct(arm, q, -least)) if near_singular else result


def _notes(arm: Arm, found: Candidates) -> tuple[str, ...]:
    notes = []
    for joint in sorted(set(found.free[found.free > 0].tolist())):
        notes.append(
            f"joint {joint} is free where joint {joint - 1} lines it up with joint {joint - 2}: "
            "its angle is the seed's, or the nearest to it that the arm can reach with"
        )
    if arm.dof > 6:
        notes.append("the arm has more than six joints: these are samples of endless solutions")
    return tuple(notes)
