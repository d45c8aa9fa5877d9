"""Forward kinematics and Jacobians of an arm, each as one equation."""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import Frame, chain, point_jacobian
from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.link_angles import link_angles
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

GIMBAL_COSINE = 1e-9
"""Below this cosine of pitch, roll is set to 0."""


def tool_pose(arm: Arm) -> Equation:
    """``T_base_tool(q)``, shape (4, 4)."""
    q = ca.SX.sym("q", arm.dof)
    return Equation("tool_pose", {"q": q}, {"T": chain(arm, link_angles(arm, q)).tool.T})


def link_poses(arm: Arm) -> Equation:
    """Pose of every link frame in base, one below the other: (4 rows, 4)."""
    q = ca.SX.sym("q", arm.dof)
    frames = chain(arm, link_angles(arm, q)).link_frames
    return Equation("link_poses", {"q": q}, {"T": ca.vertcat(*[f.T for f in frames])})


def jacobian(arm: Arm) -> Equation:
    """Geometric Jacobian of the tool in base axes, linear rows first, (6, dof)."""
    q = ca.SX.sym("q", arm.dof)
    return Equation("jacobian", {"q": q}, {"J": tool_motion(arm, q)[1]})


def body_jacobian(arm: Arm) -> Equation:
    """Jacobian of the tool in tool axes: ``J_body = diag(R^T, R^T) J``."""
    q = ca.SX.sym("q", arm.dof)
    tool, J = tool_motion(arm, q)
    turned = ca.vertcat(tool.R.T @ J[:3, :], tool.R.T @ J[3:, :])
    return Equation("body_jacobian", {"q": q}, {"J": turned})


def pose_and_jacobian(arm: Arm) -> Equation:
    """Tool pose and geometric Jacobian together, for iterative solvers."""
    q = ca.SX.sym("q", arm.dof)
    tool, J = tool_motion(arm, q)
    return Equation("pose_and_jacobian", {"q": q}, {"T": tool.T, "J": J})


def tool_motion(arm: Arm, q: Any) -> tuple[Frame, Any]:
    """Return the tool's frame and its Jacobian by q, also where joints bend under gravity."""
    angles = link_angles(arm, q)
    links = chain(arm, angles)
    J = point_jacobian(links, links.tool.p)
    return links.tool, J if angles is q else J @ ca.jacobian(angles, q)


def coordinates(arm: Arm) -> Equation:
    """Position, roll-pitch-yaw and quaternion of the tool, as the FMU's outputs name them."""
    q = ca.SX.sym("q", arm.dof)
    tool = chain(arm, link_angles(arm, q)).tool
    outputs = {"position": tool.p, "rpy": rpy(tool.R), "quaternion": quaternion(tool.R)}
    return Equation("coordinates", {"q": q}, outputs)


def orientation() -> Equation:
    """Roll-pitch-yaw and quaternion of a rotation given row by row."""
    r = ca.SX.sym("R", 9)
    R = ca.reshape(r, 3, 3).T
    return Equation("orientation", {"R": r}, {"rpy": rpy(R), "quaternion": quaternion(R)})


def rpy(R: Any) -> Any:
    r"""Return roll, pitch, yaw with ``R = Rz(yaw) Ry(pitch) Rx(roll)``.

    .. math:: pitch = atan2(-r_{31}, c), \; c = \sqrt{r_{11}^2 + r_{21}^2}, \quad
              roll = atan2(r_{32}, r_{33}), \quad yaw = atan2(r_{21}, r_{11})

    Gimbal lock (c < 1e-9): roll = 0 and yaw = atan2(-r12, r22).
    """
    c = ca.sqrt(R[0, 0] ** 2 + R[1, 0] ** 2)
    locked = c < GIMBAL_COSINE
    roll = ca.if_else(locked, 0, ca.atan2(R[2, 1], R[2, 2]))
    yaw = ca.if_else(locked, ca.atan2(-R[0, 1], R[1, 1]), ca.atan2(R[1, 0], R[0, 0]))
    return ca.vertcat(roll, ca.atan2(-R[2, 0], c), yaw)


def quaternion(R: Any) -> Any:
    """Return the unit quaternion x, y, z, w with w >= 0.

    The four columns of ``4 q q^T`` are linear in R; the one with the largest diagonal entry,
    normalised, loses no digits at any angle (Shepperd).
    """
    d = [
        1 + R[0, 0] - R[1, 1] - R[2, 2],
        1 - R[0, 0] + R[1, 1] - R[2, 2],
        1 - R[0, 0] - R[1, 1] + R[2, 2],
        1 + R[0, 0] + R[1, 1] + R[2, 2],
    ]
    xy, xz, yz = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
    xw, yw, zw = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    columns = [(d[0], xy, xz, xw), (xy, d[1], yz, yw), (xz, yz, d[2], zw), (xw, yw, zw, d[3])]
    best, largest = ca.vertcat(*columns[3]), d[3]
    for column, size in zip(columns[:3], d[:3], strict=True):
        best = ca.if_else(size > largest, ca.vertcat(*column), best)
        largest = ca.fmax(size, largest)
    scale = 1 / ca.sqrt(ca.sumsqr(best))
    return best * ca.if_else(best[3] < 0, -scale, scale)
