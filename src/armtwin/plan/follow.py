"""Following a track of the tool with the joints, on one branch all along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import PlanError
from armtwin.kinematics.forward import jacobian
from armtwin.model.arm import Arm
from armtwin.plan.branches import closed_form_branches, place
from armtwin.plan.continuation import step_by_step
from armtwin.plan.limits import checked
from armtwin.plan.motion import Motion
from armtwin.spatial import Array

SINGULAR = 5e-3
"""A smallest singular value of the scaled Jacobian below this part of the largest is refused."""
JUMP = 0.2
"""Joints that move further than this between two samples [rad] have changed branch."""
DIFFERENCE = 1e-6
"""Time over which the Jacobian's rate is taken [s]."""


@dataclass(frozen=True, eq=False)
class Track:
    """What the tool does: poses (n, 4, 4), twists and their rates (n, 6) in base, linear first."""

    time: Array
    poses: Array
    twist: Array
    acceleration: Array


def follow(arm: Arm, track: Track, name: str, *, seed: ArrayLike | None = None) -> Motion:
    """Return the joint motion along a track, checked against the arm's limits.

    An arm with a closed form keeps to one of its branches; any other goes on from solution to
    solution. With fewer than six joints the position is met and the orientation nearly.

    Raises:
        PlanError: a pose out of reach, a singularity, a jump or a limit; with time and place.
    """
    q = closed_form_branches(arm, track.time, track.poses, name, seed)
    if q is None:
        q = step_by_step(arm, track.time, track.poses, name, seed)
    _refuse_singular(arm, track, q, name)
    _refuse_jumps(track, q, name)
    rates = _from_twists(arm, track, q) if arm.dof == 6 else _from_positions(track.time, q)
    return checked(arm, Motion(track.time, q, *rates, name))


def _from_twists(arm: Arm, track: Track, q: Array) -> tuple[Array, Array]:
    r"""Return speeds and accelerations of six joints.

    .. math:: \dot q = J^{-1} V, \qquad \ddot q = J^{-1} (\dot V - \dot J \dot q)
    """
    J = jacobian(arm, q, ignore_limits=True)
    qd = np.asarray(np.linalg.solve(J, track.twist[..., None])[..., 0], np.float64)
    ahead, behind = (jacobian(arm, q + d * qd, ignore_limits=True) for d in _SIDES)
    drift = np.einsum("nij,nj->ni", (ahead - behind) / (2 * DIFFERENCE), qd)
    qdd = np.linalg.solve(J, (track.acceleration - drift)[..., None])[..., 0]
    return qd, np.asarray(qdd, np.float64)


def _from_positions(time: Array, q: Array) -> tuple[Array, Array]:
    """Return speeds and accelerations of a quintic spline through the positions."""
    from scipy.interpolate import make_interp_spline

    curve = make_interp_spline(time, q, k=min(5, len(time) - 1), axis=0)
    return np.asarray(curve(time, 1)), np.asarray(curve(time, 2))


_SIDES = (DIFFERENCE, -DIFFERENCE)


def conditioning(J: Array) -> tuple[Array, Array]:
    """Return smallest over largest singular value (n,) and the joint direction of the smallest.

    Metres are first divided by the arm's reach, the longest column of the linear part.
    """
    size = max(float(np.linalg.norm(J[:, :3], axis=1).max()), 1e-9)
    scale = np.array([1 / size] * 3 + [1.0] * (J.shape[1] - 3))
    _, values, right = np.linalg.svd(J * scale[:, None], full_matrices=False)
    return values[:, -1] / values[:, 0], right[:, -1]


def _refuse_singular(arm: Arm, track: Track, q: Array, name: str) -> None:
    J = jacobian(arm, q, ignore_limits=True)
    ratio, direction = conditioning(J if arm.dof >= 6 else J[:, :3])
    worst = int(ratio.argmin())
    if ratio[worst] >= SINGULAR:
        return
    share = np.abs(direction[worst])
    names = [f"{k + 1} ({arm.driven[k].name})" for k in np.flatnonzero(share > share.max() / 3)]
    raise PlanError(
        f"{name}: passes a singularity {place(track.time, track.poses, worst)}: joints "
        f"{', '.join(names)} work against each other there (conditioning {ratio[worst]:.2g}, at "
        f"least {SINGULAR:g} is asked for); move the path, turn the tool, or start from another "
        "branch with a seed"
    )


def _refuse_jumps(track: Track, q: Array, name: str) -> None:
    steps = np.abs(np.diff(q, axis=0))
    if steps.max() <= JUMP:
        return
    row, joint = np.unravel_index(int(steps.argmax()), steps.shape)
    raise PlanError(
        f"{name}: joint {joint + 1} jumps by {steps[row, joint]:.3g} rad "
        f"{place(track.time, track.poses, int(row))}: no branch goes through there, or the rate is "
        "too low for the speed; move the path, slow it down, or start from another branch"
    )
