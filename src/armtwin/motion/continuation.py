"""Joint vectors from tool pose to tool pose: each solved by descent from the one before."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import PlanError, UnreachableError
from armtwin.kinematics.inverse.ik import ik
from armtwin.kinematics.inverse.target import as_target, error_and_jacobian, error_of_one
from armtwin.model.arm import Arm
from armtwin.spatial import Array

STEPS, ROUNDING = 40, 1e-12
"""Most Newton steps for a pose, and the joint change at which they end [rad | m]."""
QUADRATIC = 1e-7
"""A Newton step this short leaves an error of rounding: its square [rad | m]."""
MISSED = 1e-8
"""Largest error of a solved pose [m | rad]."""
LONGEST = 0.3
"""Largest change of a joint in one step [rad | m]."""
RANK = 1e-6
"""Relative singular value below which a direction counts as singular."""
ROOM = 0.05
"""Share of a joint's range that the start of a path keeps from its limits, if it can."""
POSITION = (1, 1, 1, 0, 0, 0)
"""Mask of inverse kinematics: the position alone."""
SETTLED = 1e-9
"""Joint change at which the nearest joint vector to a posture is found [rad | m]."""


def step_by_step(
    arm: Arm,
    time: Array,
    poses: Array,
    name: str,
    seed: ArrayLike | None,
    posture: Array | None = None,
) -> Array:
    """Return joint vectors (n, dof) along poses, each solved from the one before.

    Args:
        arm: the arm.
        time: of the poses (n,) [s].
        poses: tool in base (n, 4, 4).
        name: of the path, for messages.
        seed: joint vector (dof,) [rad | m] near which the first pose is solved; zero if not given.
        posture: joint vectors (n, dof) [rad | m]: the first is where the path begins, and arms with
            other than six joints stay as near to them as the poses allow.

    Raises:
        PlanError: a pose cannot be reached from the one before; with time and place.
    """
    goals = as_target(poses)
    q = np.empty((len(time), arm.dof))
    for row, goal in enumerate(goals):
        if row:
            start = _ahead(q, row)
        else:
            start = _begin(arm, time, poses, name, seed) if posture is None else posture[0]
        if posture is not None and arm.dof != 6:
            q[row], miss = _nearest(arm, start, goal, posture[row])
        else:
            if row and arm.dof < 6:
                start = start + _free(arm, start, goal) @ (q[0] - start)
            q[row], miss = _six_joints(arm, start, goal) or _newton(arm, start, goal)
        if not miss <= MISSED:
            raise PlanError(
                f"{name}: {place(time, poses, row)}, the path leaves the workspace or meets a "
                f"singularity: {miss:.2g} m are left to it; move the path"
            )
    return q


def _begin(arm: Arm, time: Array, poses: Array, name: str, seed: ArrayLike | None) -> Array:
    """Return the joint vector of the first pose; raise PlanError where it has none."""
    try:
        return _first(arm, poses[0], seed)
    except UnreachableError as error:
        raise PlanError(f"{name}: {place(time, poses, 0)}, {error}") from error


def _first(arm: Arm, pose: Array, seed: ArrayLike | None) -> Array:
    """Return the joint vector to start from.

    With fewer than six joints the orientation is only as near as possible, which often puts a
    joint at its limit; the position is then reached from the middle of the joints' ranges.
    """
    best = ik(arm, pose, seed=seed).best
    middle, room = (arm.upper + arm.lower) / 2, ROOM * (arm.upper - arm.lower)
    if arm.dof >= 6 or seed is not None or not np.isfinite(middle).all():
        return best
    if ((best >= arm.lower + room) & (best <= arm.upper - room)).all():
        return best
    return ik(arm, pose, seed=middle, mask=POSITION).best


def _ahead(q: Array, row: int) -> Array:
    """Return the joint vector to expect, continued from the last ones: six joints smoothly."""
    if row == 1:
        return np.asarray(q[0])
    if row == 2 or q.shape[1] != 6:
        return np.asarray(2 * q[row - 1] - q[row - 2])
    return np.asarray(3 * (q[row - 1] - q[row - 2]) + q[row - 3])


def _nearest(arm: Arm, q: Array, goal: Array, posture: Array) -> tuple[Array, float]:
    """Return the joint vector of a pose that is nearest to a posture (dof,), and the pose error.

    Steps along the free directions and back onto the pose, in turns, until neither moves a joint.

    Args:
        arm: the arm.
        q: joint vector to begin with (dof,) [rad | m].
        goal: the pose, as ``as_target`` returns it.
        posture: joint vector (dof,) [rad | m].
    """
    for _ in range(STEPS):
        before = q
        q, miss = _newton(arm, q + _free(arm, q, goal) @ (posture - q), goal)
        if np.abs(q - before).max() < SETTLED or not miss <= MISSED:
            break
    return q, miss


def _rows(arm: Arm) -> slice:
    """Return which components of a pose error are solved for: position, then orientation."""
    return slice(0, 6 if arm.dof >= 6 else 3)


def _free(arm: Arm, q: Array, goal: Array) -> Array:
    """Return the projection (dof, dof) on joint directions that leave the pose as it is."""
    J = error_and_jacobian(arm, q[None], goal)[1][0, _rows(arm)]
    return np.eye(arm.dof) - np.linalg.pinv(J, rcond=RANK) @ J


def _six_joints(arm: Arm, q: Array, goal: Array) -> tuple[Array, float] | None:
    """Return what ``_newton`` does, ten times as fast, for six joints near a regular solution.

    Six joints have one solution near ``q``, whatever the path to it. None where the joint limits,
    a singularity or a long path require the general descent, and without compiled code.
    """
    if arm.dof != 6:
        return None
    length = LONGEST
    for _ in range(STEPS):
        found = error_of_one(arm, q, goal)
        if found is None:
            return None
        if length < QUADRATIC:
            miss = float(np.sqrt(found[0] @ found[0]))
            return (q, miss) if miss <= MISSED else None
        try:
            dq = np.linalg.solve(found[1], found[0])
        except np.linalg.LinAlgError:
            return None
        length = float(np.abs(dq).max())
        if not length <= LONGEST:
            return None
        q = q + dq
    return None


def _newton(arm: Arm, q: Array, goal: Array) -> tuple[Array, float]:
    """Return the joint vector and the remaining pose error."""
    rows = _rows(arm)
    for _ in range(STEPS):
        e, J = (x[0, rows] for x in error_and_jacobian(arm, q[None], goal))
        dq = np.linalg.pinv(J, rcond=RANK) @ e
        dq *= min(1.0, LONGEST / max(float(np.abs(dq).max()), 1e-300))
        q = q + dq
        if np.abs(dq).max() < ROUNDING:
            break
    e = error_and_jacobian(arm, q[None], goal)[0][0, rows]
    return q, float(np.linalg.norm(e))


def place(time: Array, poses: Array, row: int) -> str:
    """Return time and tool position of a row of a track, for messages.

    Args:
        time: (n,) [s].
        poses: tool in base (n, 4, 4).
        row: from 0.
    """
    x, y, z = poses[row, :3, 3]
    return f"at t = {time[row]:.3f} s, tool at ({x:.3f}, {y:.3f}, {z:.3f}) m"
