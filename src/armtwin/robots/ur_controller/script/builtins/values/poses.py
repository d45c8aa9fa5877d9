"""Functions of poses. A pose is position [m] and rotation vector [rad]."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.robots.ur_controller.script.builtins.arguments import number, pose, vector
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.runtime.values import List, Pose
from armtwin.spatial import from_parts, inverse, rotation_from_rpy, rpy_from_rotation

group = Group()


def _matrices(p_1: Any, p_2: Any, names: tuple[str, str]) -> Any:
    return pose(p_1, names[0]).matrix(), pose(p_2, names[1]).matrix()


@group(cost=60)
def pose_trans(p_from: Any, p_from_to: Any) -> Pose:
    """Return ``p_from_to``, given in the frame ``p_from``, in the frame that ``p_from`` is in."""
    A, B = _matrices(p_from, p_from_to, ("p_from", "p_from_to"))
    return Pose.from_matrix(A @ B)


@group(cost=40)
def pose_inv(p_from: Any) -> Pose:
    """Return the inverse of a pose."""
    return Pose.from_matrix(inverse(pose(p_from, "p_from").matrix()))


@group(cost=60)
def pose_add(p_1: Any, p_2: Any) -> Pose:
    """Return the sum of the positions with the product of the rotations."""
    A, B = _matrices(p_1, p_2, ("p_1", "p_2"))
    return Pose.from_matrix(from_parts(A[:3, :3] @ B[:3, :3], A[:3, 3] + B[:3, 3]))


@group(cost=60)
def pose_sub(p_to: Any, p_from: Any) -> Pose:
    """Return the difference of the positions with the rotation ``R_to R_from^T``."""
    A, B = _matrices(p_to, p_from, ("p_to", "p_from"))
    return Pose.from_matrix(from_parts(A[:3, :3] @ B[:3, :3].T, A[:3, 3] - B[:3, 3]))


@group(cost=60)
def pose_dist(p_from: Any, p_to: Any) -> float:
    """Return the Euclidean norm of ``pose_sub(p_to, p_from)``."""
    return float(np.linalg.norm(pose_sub(p_to, p_from).items))


@group(cost=10)
def point_dist(p_from: Any, p_to: Any) -> float:
    """Return the distance of the positions [m]."""
    a, b = pose(p_from, "p_from").items, pose(p_to, "p_to").items
    return float(np.linalg.norm(np.subtract(a[:3], b[:3])))


@group(cost=100)
def interpolate_pose(p_from: Any, p_to: Any, alpha: Any) -> Pose:
    """Return the pose at the share ``alpha`` of the straight line from pose to pose.

    Args:
        p_from: pose at 0.
        p_to: pose at 1.
        alpha: the share; may be outside 0 to 1.
    """
    A, B = _matrices(p_from, p_to, ("p_from", "p_to"))
    share = number(alpha, "alpha")
    turn = Pose.from_matrix(from_parts(A[:3, :3].T @ B[:3, :3], (0, 0, 0))).items[3:]
    part = Pose((0.0, 0.0, 0.0, *(share * t for t in turn))).matrix()[:3, :3]
    return Pose.from_matrix(from_parts(A[:3, :3] @ part, (1 - share) * A[:3, 3] + share * B[:3, 3]))


@group(cost=40)
def rotvec2rpy(rotation_vector: Any) -> List:
    """Return roll, pitch and yaw of a rotation vector [rad]."""
    turn = vector(rotation_vector, "rotation_vector", 3)
    R = Pose((0.0, 0.0, 0.0, *turn)).matrix()[:3, :3]
    return List(tuple(rpy_from_rotation(R).tolist()))


@group(cost=40)
def rpy2rotvec(rpy_vector: Any) -> List:
    """Return the rotation vector of roll, pitch and yaw [rad]."""
    R = rotation_from_rpy(*vector(rpy_vector, "rpy_vector", 3))
    return List(Pose.from_matrix(from_parts(R, (0, 0, 0))).items[3:])


@group(cost=60)
def wrench_trans(T_from_to: Any, w_from: Any) -> List:
    r"""Return a wrench [N, Nm] seen from another frame.

    With R and p of ``T_from_to``, force and torque become

    .. math:: f' = R^T f, \quad m' = R^T (m - p \times f)
    """
    T, w = pose(T_from_to, "T_from_to").matrix(), np.array(vector(w_from, "w_from", 6))
    R_t, p = T[:3, :3].T, T[:3, 3]
    moved = np.concatenate([R_t @ w[:3], R_t @ (w[3:] - np.cross(p, w[:3]))])
    return List(tuple(moved.tolist()))
