"""Forward kinematics and Jacobians of one configuration or any batch ``(..., dof)``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel, run, run_single
from armtwin.equations.equation import Build
from armtwin.equations.kinematics import manipulability as manipulability_equations
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.kinematics.joints import as_joints
from armtwin.kinematics.tensors import evaluate_tensors, tensor_library
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import Array, as_pose


@dataclass(frozen=True)
class Coordinates:
    """A pose as position, roll-pitch-yaw and quaternion.

    Attributes:
        position: x, y, z (..., 3) [m].
        rpy: roll, pitch, yaw (..., 3) [rad], ``R = Rz(yaw) Ry(pitch) Rx(roll)``; where pitch is
            +-90 degrees, roll = 0.
        quaternion: x, y, z, w (..., 4) with w >= 0.
    """

    position: Array
    rpy: Array
    quaternion: Array


def fk(
    arm: ArmLike,
    q: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return ``T_base_tool`` (..., 4, 4) for joint vectors ``q`` (..., dof) [rad | m].

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint vectors (..., dof).
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array (..., 4, 4) to write to and return, so that repeated batches allocate nothing.
    """
    if out is None:
        ready = run_single(arm, tool_pose_equations.tool_pose, q)
        if ready is not None:
            return ready[0]
    return _evaluate(arm, tool_pose_equations.tool_pose, q, ignore_limits, threads, out)


def link_poses(
    arm: ArmLike, q: ArrayLike, *, ignore_limits: bool = False, threads: int | None = None
) -> Array:
    """Return the pose of every link frame in base, (..., rows, 4, 4); fixed rows included.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    arm = as_arm(arm)
    stacked = _evaluate(arm, tool_pose_equations.link_poses, q, ignore_limits, threads)
    return stacked.reshape(*stacked.shape[:-2], len(arm.joints), 4, 4)


def tool_coordinates(arm: ArmLike, q: ArrayLike, *, ignore_limits: bool = False) -> Coordinates:
    """Return position, roll-pitch-yaw and quaternion of the tool in base.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
    """
    arm = as_arm(arm)
    joints = as_joints(arm, q, ignore_limits=ignore_limits)
    return Coordinates(*kernel(arm, tool_pose_equations.coordinates)(joints))


def pose_coordinates(T: ArrayLike) -> Coordinates:
    """Return position, roll-pitch-yaw and quaternion of poses (..., 4, 4)."""
    poses = as_pose(T)
    R = np.ascontiguousarray(poses[..., :3, :3]).reshape(*poses.shape[:-2], 9)
    rpy, quaternion = kernel(None, tool_pose_equations.orientation)(R)
    return Coordinates(poses[..., :3, 3].copy(), rpy, quaternion)


def jacobian(
    arm: ArmLike,
    q: ArrayLike,
    *,
    ignore_limits: bool = False,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return the geometric Jacobian (..., 6, dof) of the tool in base axes, linear rows first.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array of the result's shape to write to and return.
    """
    if out is None:
        ready = run_single(arm, tool_pose_equations.jacobian, q)
        if ready is not None:
            return ready[0]
    return _evaluate(arm, tool_pose_equations.jacobian, q, ignore_limits, threads, out)


def body_jacobian(
    arm: ArmLike, q: ArrayLike, *, ignore_limits: bool = False, threads: int | None = None
) -> Array:
    """Return the Jacobian (..., 6, dof) of the tool in its own axes, linear rows first.

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    return _evaluate(arm, tool_pose_equations.body_jacobian, q, ignore_limits, threads)


def _evaluate(
    arm: ArmLike,
    equation: Build,
    q: ArrayLike,
    ignore_limits: bool,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return the only output of an equation of ``q``.

    Args:
        arm: the arm, its catalogue name or its file.
        equation: a function of ``equations.kinematics.tool_pose``.
        q: joint positions (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
        threads: number of threads for a batch; None: all cores where it is large.
        out: array of the result's shape to write to and return.
    """
    arm = as_arm(arm)
    library = tensor_library((q,))
    if library is not None:
        found = evaluate_tensors(arm, equation, (q,), library, ignore_limits=ignore_limits, out=out)
        return found[0]
    joints = as_joints(arm, q, ignore_limits=ignore_limits)
    return run(arm, equation, joints, threads=threads, out=out)[0]


def manipulability(arm: ArmLike, q: ArrayLike, *, ignore_limits: bool = False) -> Array:
    r"""Return the product of the Jacobian's singular values, 0 where the arm is singular.

    .. math:: w = \prod_i \sigma_i(J), \; \text{which is } \sqrt{\det(J J^T)}
              \text{ for six joints or more}

    Args:
        arm: the arm, its catalogue name or its file.
        q: joint positions (..., dof) [rad | m].
        ignore_limits: accept joints beyond their limits.
    """
    return _evaluate(arm, manipulability_equations.manipulability, q, ignore_limits)
