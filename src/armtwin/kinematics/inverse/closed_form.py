"""The UR closed form for one pose or a whole batch of poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import ur_joints as ur_joints_equations
from armtwin.errors import InputError
from armtwin.kinematics.inverse.numeric import SOLVED, converge
from armtwin.kinematics.inverse.target import as_target, residual
from armtwin.kinematics.inverse.ur_structure import URForm, ur_form
from armtwin.kinematics.joint_limits import Bounds, into_limits
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE, Array

CHUNK = 2048
"""Poses per pass, so that the branches of a pass stay in the cache."""
EXACT_MARGIN = -1e-12
"""Margin above which a branch is exact up to rounding [m]."""
BORDER_MARGIN = -1e-6
"""Margin below which a branch is out of reach [m]; between both it is refined by ``polish``."""


@dataclass(frozen=True, eq=False)
class Branches:
    """The eight branches of tool poses, as ``equations.ur_joints`` describes them.

    Attributes:
        q: joint vectors (..., 8, 6), also where out of reach (then on the nearest border).
        margins: distance from the limits of shoulder and elbow (..., 8, 2) [m].
        sines: distance of shoulder, elbow and wrist from singular, as sines (..., 8, 3).
        excess: largest distance of a joint beyond its limits (..., 8) [rad].
        distance: squared distance to the seed (..., 8).
        goal: the target with an exact rotation (..., 16).
        flaw: deviation of the given target from a rigid pose (...).
    """

    q: Array
    margins: Array
    sines: Array
    excess: Array
    distance: Array
    goal: Array
    flaw: Array

    @property
    def margin(self) -> Array:
        """Distance from the workspace boundary (..., 8) [m], negative beyond it."""
        return np.asarray(np.minimum(self.margins[..., 0], self.margins[..., 1]))


def branches(form: URForm, T: Array, bounds: Bounds, seed: Array) -> Branches:
    """Return all branches of tool poses (..., 16); a free joint 6 stays near the seed's.

    Args:
        form: the arm as a UR structure.
        T: tool poses in base, row by row (..., 16) [m].
        bounds: joint limits.
        seed: joint positions to stay near (6,) [rad].
    """
    solve = kernel(None, ur_joints_equations.solutions)
    inputs = (T, form.numbers, bounds.lower, bounds.upper, seed)
    return Branches(*(solve.fast(*inputs) or solve(*inputs)))


def ik_batch(
    arm: ArmLike, T: ArrayLike, *, seed: ArrayLike | None = None, ignore_limits: bool = False
) -> tuple[Array, NDArray[np.bool_]]:
    """Return every closed-form solution of many tool poses at once.

    Args:
        arm: an arm of UR structure in any convention, its catalogue name or its file.
        T: tool poses in base (..., 4, 4).
        seed: joint vectors (6,) or (..., 6) that whole turns and a free joint 6 stay near; zero
            if not given.
        ignore_limits: also count solutions beyond the joint limits.

    Returns:
        ``q`` (..., 8, 6) [rad], NaN where there is no solution, and ``valid`` (..., 8). On the
        workspace boundary two branches coincide and both are listed.

    Raises:
        InputError: not rigid poses, or an arm without the UR closed form.
    """
    arm = as_arm(arm)
    form = _form(arm)
    poses = np.asarray(T, float)
    if poses.shape[-2:] != (4, 4):
        as_target(poses)
    lead = poses.shape[:-2]
    start = np.zeros(6) if seed is None else as_joints(arm, seed, ignore_limits=True, name="seed")
    flat, seeds = poses.reshape(-1, 16), np.broadcast_to(start, (*lead, 6)).reshape(-1, 6)
    bounds = Bounds.of(arm, ignore_limits=ignore_limits)
    q, valid = np.empty((len(flat), 8, 6)), np.empty((len(flat), 8), bool)
    for first in range(0, len(flat), CHUNK):
        rows = slice(first, first + CHUNK)
        found = branches(form, flat[rows], bounds, seeds[rows])
        if not (found.flaw <= ORTHOGONAL_TOLERANCE).all():
            as_target(poses)
        valid[rows] = polish(arm, found, bounds, seeds[rows]) & (found.excess <= 0)
        q[rows] = found.q
    q[~valid] = np.nan
    return q.reshape(*lead, 8, 6), valid.reshape(*lead, 8)


def _form(arm: Arm) -> URForm:
    form = ur_form(arm)
    if form is None:
        raise InputError(
            f"arm {arm.name!r} does not have the UR structure (axes 2, 3, 4 parallel; 1-2, 4-5 and "
            "5-6 meeting at right angles), so it has no closed form; call ik() for each pose"
        )
    return form


def polish(arm: Arm, found: Branches, bounds: Bounds, seed: Array) -> NDArray[np.bool_]:
    """Return which branches reach their pose (..., 8), limits aside.

    Branches that rounding puts beyond the boundary are first refined, in place, on the arm's model.

    Args:
        arm: the arm.
        found: branches of the closed form; refined in place.
        bounds: joint limits.
        seed: joint positions to stay near (6,) [rad].
    """
    margin = found.margin
    reached = np.asarray(margin >= EXACT_MARGIN)
    if reached.all():
        return reached
    rows = np.nonzero(~reached & (margin >= BORDER_MARGIN))
    if len(rows[0]):
        unlimited = Bounds.of(arm, ignore_limits=True)
        q, error = converge(arm, found.goal[rows[:-1]], found.q[rows], unlimited)
        near = np.broadcast_to(seed, (*found.q.shape[:-2], 6))[rows[:-1]]
        found.q[rows], found.excess[rows] = into_limits(arm, q, bounds, near)
        reached[rows] = residual(error) <= SOLVED
    return reached
