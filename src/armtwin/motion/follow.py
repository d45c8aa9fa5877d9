"""Following a track of the tool with the joints, on one branch all along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.errors import InputError, PlanError, UnreachableError
from armtwin.kinematics.forward import jacobian, link_poses
from armtwin.kinematics.inverse.ik import ik, ik_batch
from armtwin.kinematics.inverse.structure.forms import exact_form
from armtwin.kinematics.inverse.target import as_target, error_and_jacobian
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.limits import checked
from armtwin.motion.motion import Motion
from armtwin.spatial import Array

TURN = 2 * np.pi
SUPPLE = 0.02
"""Branches whose Jacobian keeps this conditioning count as far from singularities."""


def closed_form_branches(
    arm: Arm, time: Array, poses: Array, name: str, seed: ArrayLike | None
) -> Array | None:
    """Return joint vectors (n, 6) on the branch that suits best; None without a closed form.

    With a seed the branch that starts nearest to it is taken. Otherwise those within the joint
    limits go before the others, then those far from singularities, then the one whose links stand
    highest above the base (elbow up).

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
    """Return a curve (n, 6) shifted by whole turns into the limits, as near as may be to ``near``.

    A curve that no shift brings within the limits stays near; the limits' check will tell.
    """
    low, high = q.min(axis=0), q.max(axis=0)
    lowest, highest = np.ceil((arm.lower - low) / TURN), np.floor((arm.upper - high) / TURN)
    wish = np.round((near - q[0]) / TURN)
    allowed = np.clip(wish, lowest, np.maximum(lowest, highest))
    return q + TURN * np.where(lowest <= highest, allowed, wish)


def _merit(arm: Arm, q: Array) -> tuple[bool, bool, float]:
    some = q[:: max(1, len(q) // 50)]
    inside = bool(((q >= arm.lower) & (q <= arm.upper)).all())
    values = np.linalg.svd(jacobian(arm, some, ignore_limits=True), compute_uv=False)
    supple = bool((values[:, -1] > SUPPLE * values[:, 0]).all())
    up = np.array(arm.base)[:3, 2]
    heights = link_poses(arm, some, ignore_limits=True)[:, :, :3, 3] @ up
    return inside, supple, float(heights.mean())


def place(time: Array, poses: Array, row: int) -> str:
    """Return when and where a row of a track is, for people."""
    x, y, z = poses[row, :3, 3]
    return f"at t = {time[row]:.3f} s, tool at ({x:.3f}, {y:.3f}, {z:.3f}) m"


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


STEPS, ROUNDING, MISSED = 40, 1e-12, 1e-8
LONGEST = 0.3
RANK = 1e-6


def step_by_step(arm: Arm, time: Array, poses: Array, name: str, seed: ArrayLike | None) -> Array:
    """Return joint vectors (n, dof) that lead along poses (n, 4, 4).

    Raises:
        PlanError: a pose cannot be reached from the one before; with time and place.
    """
    goals = as_target(poses)
    q = np.empty((len(time), arm.dof))
    for row, goal in enumerate(goals):
        try:
            start = ik(arm, poses[0], seed=seed).best if row == 0 else _ahead(q, row)
        except UnreachableError as error:
            raise PlanError(f"{name}: {place(time, poses, row)}, {error}") from error
        q[row], miss = _newton(arm, start, goal)
        if not miss <= MISSED:
            raise PlanError(
                f"{name}: {place(time, poses, row)}, the arm cannot go on: {miss:.2g} m are "
                "left to the path, which leaves the workspace or meets a singularity there; move it"
            )
    return q


def _ahead(q: Array, row: int) -> Array:
    return np.asarray(q[row - 1] if row == 1 else 2 * q[row - 1] - q[row - 2])


def _newton(arm: Arm, q: Array, goal: Array) -> tuple[Array, float]:
    """Return the joint vector and what is left of the error that it should have met."""
    rows = slice(0, 6 if arm.dof >= 6 else 3)
    for _ in range(STEPS):
        e, J = (x[0, rows] for x in error_and_jacobian(arm, q[None], goal))
        dq = np.linalg.pinv(J, rcond=RANK) @ e
        dq *= min(1.0, LONGEST / max(float(np.abs(dq).max()), 1e-300))
        q = q + dq
        if np.abs(dq).max() < ROUNDING:
            break
    e = error_and_jacobian(arm, q[None], goal)[0][0, rows]
    return q, float(np.linalg.norm(e))


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
