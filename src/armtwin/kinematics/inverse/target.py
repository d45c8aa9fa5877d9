"""The target pose and the pose error of joint vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import pose_error as pose_error_equations
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array, as_numbers, as_pose


def as_target(T: ArrayLike) -> Array:
    """Return poses (..., 4, 4) as (..., 16), checked, their rotations made exact.

    A rotation typed with few digits may deviate by up to 1e-6 (``as_pose``); the target is the
    nearest exact one.
    """
    poses = as_pose(T, "target pose")
    return kernel(None, pose_error_equations.rigid)(poses.reshape(*poses.shape[:-2], 16))[0]


def as_one_pose(T: ArrayLike) -> Array:
    """Return one finite pose as (16,), not yet checked for being rigid."""
    pose = as_numbers(T, "the target pose (4x4)")
    if pose.shape != (4, 4):
        raise InputError(
            f"the target is one pose (4, 4), got shape {pose.shape}; for many poses use "
            "armtwin.ik_batch"
        )
    if not np.isfinite(pose).all():
        raise InputError("the target pose holds NaN or infinity; every entry must be finite")
    return np.ascontiguousarray(pose).reshape(16)


def error_and_jacobian(arm: Arm, q: Array, goals: Array) -> tuple[Array, Array]:
    """Return pose errors (n, 6), metres then radians in goal axes, and Jacobians (n, 6, dof).

    Args:
        arm: the arm.
        q: joint vectors (n, dof).
        goals: targets (16,) or (n, 16), as ``as_target`` returns them.
    """
    rows = len(q)
    targets = np.empty((rows, 16))
    targets[:] = goals
    error, J = np.empty((rows, 6)), np.empty((rows, 6 * arm.dof))
    run = kernel(arm, pose_error_equations.error_and_jacobian).run
    run([np.ascontiguousarray(q), targets], [error, J])
    return error, J.reshape(rows, 6, arm.dof)


def error_of_one(arm: Arm, q: Array, goal: Array) -> tuple[Array, ...] | None:
    """Return pose error (6,) and Jacobian (6, dof) of one joint vector, in a few microseconds.

    None where ``error_and_jacobian`` must be called: joints beyond their limits, no compiled code.

    Args:
        arm: the arm.
        q: joint vector (dof,).
        goal: target (16,), as ``as_target`` returns it.
    """
    return kernel(arm, pose_error_equations.error_and_jacobian).fast(q, goal)


def residual(error: Array) -> Array:
    """Return one number per pose error (..., 6): ``sqrt(|position [m]|^2 + |turn [rad]|^2)``."""
    return np.asarray(np.sqrt((error * error).sum(axis=-1)))
