"""Joint motions along a tool path, on one branch of the inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.errors import InputError, PlanError, UnreachableError
from armtwin.kinematics.forward import jacobian, link_poses
from armtwin.kinematics.inverse.ik import ik, ik_batch
from armtwin.kinematics.inverse.numeric import SOLVED, converge
from armtwin.kinematics.inverse.position_first import position_first
from armtwin.kinematics.inverse.structure.forms import exact_form
from armtwin.kinematics.inverse.target import as_target, residual
from armtwin.kinematics.joint_limits import Bounds
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.continuation import place, step_by_step
from armtwin.motion.limits import checked
from armtwin.motion.motion import Motion
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
    q = closed_form_branches(arm, track.time, track.poses, name, seed)
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
