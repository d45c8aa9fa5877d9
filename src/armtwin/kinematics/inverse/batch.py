"""Closed forms of many poses at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.errors import InputError
from armtwin.kinematics.inverse.closed_form import branches, polish
from armtwin.kinematics.inverse.structure.forms import Form, exact_form
from armtwin.kinematics.inverse.target import as_target
from armtwin.kinematics.joint_limits import Bounds
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE, Array

CHUNK = 2048
"""Poses per pass, so that the branches of a pass stay in the cache."""


def ik_batch(
    arm: ArmLike, T: ArrayLike, *, seed: ArrayLike | None = None, ignore_limits: bool = False
) -> tuple[Array, NDArray[np.bool_]]:
    """Return every closed-form solution of many tool poses at once.

    Args:
        arm: an arm with a closed form in any convention, its catalogue name or its file.
        T: tool poses in base (..., 4, 4).
        seed: joint vectors (dof,) or (..., dof) that whole turns and free joints stay near; zero
            if not given.
        ignore_limits: also count solutions beyond the joint limits.

    Returns:
        ``q`` (..., 8, dof) [rad], NaN where there is no solution, and ``valid`` (..., 8). On the
        workspace boundary two branches coincide and both are listed.

    Raises:
        InputError: not rigid poses, or an arm without a closed form.
    """
    arm = as_arm(arm)
    form = _form(arm)
    poses = np.asarray(T, float)
    if poses.shape[-2:] != (4, 4):
        as_target(poses)
    lead, dof = poses.shape[:-2], arm.dof
    start = np.zeros(dof) if seed is None else as_joints(arm, seed, ignore_limits=True, name="seed")
    flat, seeds = poses.reshape(-1, 16), np.broadcast_to(start, (*lead, dof)).reshape(-1, dof)
    bounds = Bounds.of(arm, ignore_limits=ignore_limits)
    q, valid = np.empty((len(flat), 8, dof)), np.empty((len(flat), 8), bool)
    for first in range(0, len(flat), CHUNK):
        rows = slice(first, first + CHUNK)
        found = branches(form, flat[rows], bounds, seeds[rows])
        if not (found.flaw <= ORTHOGONAL_TOLERANCE).all():
            as_target(poses)
        valid[rows] = polish(arm, found, bounds, seeds[rows]) & (found.excess <= 0)
        q[rows] = found.q
    q[~valid] = np.nan
    return q.reshape(*lead, 8, dof), valid.reshape(*lead, 8)


def _form(arm: Arm) -> Form:
    form = exact_form(arm)
    if form is None:
        raise InputError(f"arm {arm.name!r} has no closed form; call ik() for each pose")
    return form
