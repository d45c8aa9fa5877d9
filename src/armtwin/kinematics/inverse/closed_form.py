"""Closed forms for one pose or a whole batch of poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.compile.kernel import kernel
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import SOLVED
from armtwin.kinematics.inverse.structure.forms import Form
from armtwin.kinematics.inverse.target import residual
from armtwin.kinematics.joint_limits import Bounds, into_limits
from armtwin.model.arm import Arm
from armtwin.spatial import Array

EXACT_MARGIN = -1e-12
"""Margin above which a branch is exact up to rounding [m]."""
BORDER_MARGIN = -1e-6
"""Margin below which a branch is out of reach [m]; between both it is refined by ``polish``."""
OWN = (0.0, 1.0)
"""The redundancy of the seed itself: no angle added to the seed's."""


@dataclass(frozen=True, eq=False)
class Branches:
    """The branches of tool poses, as ``joint_branches.table`` of the equations describes them.

    Attributes:
        q: joint vectors (..., n, dof), also where out of reach (then on the nearest border).
        margins: distances from the borders of the workspace (..., n, k).
        sines: distances from singularities, as sines (..., n, l).
        excess: largest distance of a joint beyond its limits (..., n) [rad].
        distance: squared distance to the seed (..., n).
        free: number of the joint that the pose leaves free (..., n), or 0.
        goal: the target with an exact rotation (..., 16).
        flaw: deviation of the given target from a rigid pose (...).
        parameter: the arm angle or q7 of a seven-joint arm (...) [rad].
    """

    q: Array
    margins: Array
    sines: Array
    excess: Array
    distance: Array
    free: Array
    goal: Array
    flaw: Array
    parameter: Array

    @property
    def margin(self) -> Array:
        """Distance from the workspace boundary (..., n) [m], negative beyond it."""
        return np.asarray(self.margins.min(axis=-1))


def branches(
    form: Form, T: Array, bounds: Bounds, seed: Array, redundancy: Array | None = None
) -> Branches:
    """Return all branches of tool poses (..., 16).

    Args:
        form: the arm's closed form.
        T: poses (..., 16).
        bounds: joint limits, into which whole turns are taken.
        seed: joint vectors (..., dof) that whole turns and free joints stay near.
        redundancy: for seven joints, an angle and the weight of the seed's own (..., 2);
            the seed's own if not given.
    """
    solve = kernel(None, form.equation)
    inputs = [T, form.numbers, bounds.lower, bounds.upper, seed]
    if form.redundancy:
        inputs.append(np.array(OWN) if redundancy is None else redundancy)
    return Branches(*(solve.fast(*inputs) or solve(*inputs)))


def polish(arm: Arm, found: Branches, bounds: Bounds, seed: Array) -> NDArray[np.bool_]:
    """Return which branches reach their pose (..., n), limits aside.

    Branches that rounding puts beyond the boundary are first refined, in place, on the arm's model.

    Args:
        arm: the arm.
        found: branches of the closed form; refined in place.
        bounds: joint limits.
        seed: joint vectors (..., dof) to stay near [rad].
    """
    margin = found.margin
    reached = np.asarray(margin >= EXACT_MARGIN)
    if reached.all():
        return reached
    rows = np.nonzero(~reached & (margin >= BORDER_MARGIN))
    if len(rows[0]):
        unlimited = Bounds.of(arm, ignore_limits=True)
        q, error = converge(arm, found.goal[rows[:-1]], found.q[rows], unlimited)
        near = np.broadcast_to(seed, (*found.q.shape[:-2], arm.dof))[rows[:-1]]
        found.q[rows], found.excess[rows] = into_limits(arm, q, bounds, near)
        reached[rows] = residual(error) <= SOLVED
    return reached


ANGLES = 72
"""Angles of a free joint that are tried where the seed's leads beyond the limits."""


def other_free_angles(
    form: Form, found: Branches, bounds: Bounds, seed: Array, redundancy: Array | None
) -> tuple[Branches, NDArray[np.int64]]:
    """Return the branches with another angle of the free joint, and which are within limits.

    The angle nearest to the seed's that has a solution; the branches as they were if none has.

    Args:
        form: the arm's closed form.
        found: the branches with the seed's angle, all beyond the limits.
        bounds: joint limits.
        seed: joint vector (dof,).
        redundancy: as for ``branches``.
    """
    joint = int(found.free.max()) - 1
    for step in range(1, ANGLES):
        other = seed.copy()
        other[joint] += (-1) ** step * ((step + 1) // 2) * (2 * np.pi / ANGLES)
        again = branches(form, found.goal, bounds, other, redundancy)
        rows = np.flatnonzero((again.margin >= EXACT_MARGIN) & (again.excess <= 0))
        if len(rows):
            return again, rows
    return found, np.zeros(0, np.int64)
