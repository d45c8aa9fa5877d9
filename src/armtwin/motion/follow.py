"""Joint motions along a tool path, on one branch of the inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import PlanError, UnreachableError
from armtwin.kinematics.forward import jacobian
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import SOLVED
from armtwin.kinematics.inverse.position_first import position_first
from armtwin.kinematics.inverse.target import as_target, residual
from armtwin.kinematics.joint_limits import Bounds
from armtwin.model.arm import Arm
from armtwin.motion.branches import branch_from, closed_form_branches
from armtwin.motion.continuation import place, step_by_step
from armtwin.motion.limits import checked
from armtwin.motion.motion import Motion
from armtwin.spatial import Array


def solution_near(arm: Arm, pose: Array, q: Array) -> Array:
    """Return the joint vector (dof,) of a tool pose that continues from another one.

    One descent from ``q``, in bounded time: a few milliseconds, where a search for all solutions
    of an arm without a closed form takes ten times as long. With fewer than six joints the
    position is exact and the orientation as near as possible.

    Args:
        arm: the arm.
        pose: tool in base (4, 4).
        q: joint vector near the solution (dof,) [rad | m].

    Raises:
        UnreachableError: the descent does not reach the pose within the joint limits.
        PlanError: neither does the closed form, where there is one.
    """
    goal, bounds = as_target(pose), Bounds.of(arm)
    if arm.dof < 6:
        found, error = position_first(arm, goal, q[None], bounds)
        error = error[:, :3]
    else:
        found, error = converge(arm, goal, q[None], bounds)
    if residual(error)[0] <= SOLVED:
        return found[0]
    exact = closed_form_branches(arm, np.zeros(1), pose[None], "this step", q)
    if exact is not None:
        return exact[0]
    raise UnreachableError(
        "this pose is out of reach from here: beyond the workspace, a joint limit or a "
        "singularity; move in another direction"
    )


SINGULAR = 5e-3
"""A smallest singular value of the scaled Jacobian below this part of the largest is refused."""
JUMP = 0.2
"""Joints that move further than this between two samples [rad] have changed branch."""
DIFFERENCE = 1e-6
"""Time over which the Jacobian's rate is taken [s]."""


@dataclass(frozen=True, eq=False)
class Track:
    """Motion of the tool in base: poses (n, 4, 4), twists and their rates (n, 6), linear first.

    Attributes:
        posture: joint vectors (n, dof) [rad | m] that begin where the track begins; arms with other
            than six joints stay as near to them as the poses allow.
    """

    time: Array
    poses: Array
    twist: Array
    acceleration: Array
    posture: Array | None = None


def follow(arm: Arm, track: Track, name: str, *, seed: ArrayLike | None = None) -> Motion:
    """Return the joint motion along a track, checked against the arm's limits.

    An arm with a closed form stays on one of its branches; for any other, each pose is solved from
    the one before. With fewer than six joints the position is exact, the orientation as near as
    possible.

    Args:
        arm: the arm.
        track: poses and twists of the tool over time.
        name: of the motion, for messages and files.
        seed: joint vector (dof,) [rad | m] that selects the branch; None for the best one.

    Raises:
        PlanError: a pose out of reach, a singularity, a jump or a limit; with time and place.
    """
    return checked(arm, joint_motion(arm, track, name, seed=seed))


def joint_motion(arm: Arm, track: Track, name: str, *, seed: ArrayLike | None = None) -> Motion:
    """Return the joint motion along a track as ``follow`` does, without a check of the limits.

    Args:
        arm: the arm.
        track: poses and twists of the tool over time.
        name: of the motion, for messages and files.
        seed: joint vector (dof,) [rad | m] that selects the branch; None for the best one.

    Raises:
        PlanError: a pose out of reach, a singularity or a jump; with time and place.
    """
    if track.posture is None:
        q = closed_form_branches(arm, track.time, track.poses, name, seed)
    else:
        q = branch_from(arm, track.time, track.poses, name, track.posture[0])
    if q is None:
        q = step_by_step(arm, track.time, track.poses, name, seed, track.posture)
    _refuse_singular(arm, track, q, name)
    _refuse_jumps(track, q, name)
    rates = _from_twists(arm, track, q) if arm.dof == 6 else _from_positions(track.time, q)
    return Motion(track.time, q, *rates, name)


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
        f"{', '.join(names)} lose a direction of motion there (conditioning {ratio[worst]:.2g}, at "
        f"least {SINGULAR:g} is required); move the path, turn the tool, or start from another "
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
