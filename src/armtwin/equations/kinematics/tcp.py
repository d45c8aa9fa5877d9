"""The tool centre point (TCP): a frame at the tool that a controller may change at any time.

Its pose in the tool frame, ``offset``, is an input (16, row by row), so that one compiled kernel
serves every offset. Poses of UR controllers are six numbers: position [m] and rotation
vector [rad].
"""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import Chain, Frame, chain, point_jacobian
from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.link_angles import link_angles
from armtwin.equations.kinematics.pose_error import error as pose_error
from armtwin.equations.kinematics.pose_error import pose, rotation_vector
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm


def state(arm: Arm) -> Equation:
    """Pose vector (6), twist (6) in base, T (4, 4) and Jacobian J (6, dof) of the centre point.

    Inputs: q, qd (dof), offset (16).
    """
    q, qd, offset = ca.SX.sym("q", arm.dof), ca.SX.sym("qd", arm.dof), ca.SX.sym("offset", 16)
    tcp, J = _moving(arm, q, offset)
    outputs = {"vector": vector(tcp), "twist": J @ qd, "T": tcp.T, "J": J}
    return Equation("tcp_state", {"q": q, "qd": qd, "offset": offset}, outputs)


def error(arm: Arm) -> Equation:
    """Error (6) from the centre point to ``goal`` (16), metres then radians in base; J (6, dof)."""
    q, goal, offset = ca.SX.sym("q", arm.dof), ca.SX.sym("goal", 16), ca.SX.sym("offset", 16)
    tcp, J = _moving(arm, q, offset)
    outputs = {"error": pose_error(pose(goal), tcp), "J": J}
    return Equation("tcp_error", {"q": q, "goal": goal, "offset": offset}, outputs)


def as_vector() -> Equation:
    """Pose vector (6) of a pose T (16, row by row)."""
    T = ca.SX.sym("T", 16)
    return Equation("as_vector", {"T": T}, {"vector": vector(pose(T))})


def as_pose() -> Equation:
    """Pose T (4, 4) of a pose vector (6)."""
    v = ca.SX.sym("vector", 6)
    return Equation("as_pose", {"vector": v}, {"T": Frame(rotation(v[3:]), v[:3]).T})


def vector(frame: Frame) -> Any:
    """Return position and rotation vector (6) of a pose."""
    return ca.vertcat(frame.p, rotation_vector(frame.R))


def rotation(r: Any) -> Any:
    r"""Return the rotation (3, 3) of a rotation vector.

    .. math:: R = I + \frac{\sin\theta}{\theta} [r]_\times
              + \frac12 \left(\frac{\sin(\theta/2)}{\theta/2}\right)^2 [r]_\times^2,
              \quad \theta = |r|
    """
    angle = ca.sqrt(ca.sumsqr(r))
    K = ca.skew(r)
    return ca.SX.eye(3) + _sinc(angle) * K + 0.5 * _sinc(angle / 2) ** 2 * (K @ K)


def _sinc(x: Any) -> Any:
    return ca.if_else(x < 1e-12, 1, ca.sin(x) / ca.if_else(x < 1e-12, 1, x))


def _moving(arm: Arm, q: Any, offset: Any) -> tuple[Frame, Any]:
    """Return the centre point's frame and its Jacobian by q."""
    angles = link_angles(arm, q)
    links: Chain = chain(arm, angles)
    tcp = links.tool @ pose(offset)
    J = point_jacobian(links, tcp.p)
    return tcp, J if angles is q else J @ ca.jacobian(angles, q)
