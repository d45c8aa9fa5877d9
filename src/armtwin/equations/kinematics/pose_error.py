"""Error from the tool's pose to a target pose, and its Jacobian."""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import Frame, chain, point_jacobian
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

HALF_TURN_COSINE = -0.999
"""Below this cosine the axis is taken from ``R + R^T``."""


def error_and_jacobian(arm: Arm) -> Equation:
    r"""Error (6) from the tool at ``q`` to the pose ``goal`` (16, row by row), and J (6, dof).

    .. math:: e = \begin{bmatrix} p_{goal} - p \\ \log(R_{goal} R^T) \end{bmatrix}

    in base axes, metres then radians, so that ``J dq = e`` to first order.
    """
    q, goal = ca.SX.sym("q", arm.dof), ca.SX.sym("goal", 16)
    links = chain(arm, q)
    outputs = {"error": error(pose(goal), links.tool), "J": point_jacobian(links, links.tool.p)}
    return Equation("pose_error", {"q": q, "goal": goal}, outputs)


def rigid() -> Equation:
    """Poses ``T`` (16, row by row) with exact rotations, and the deviation of the given ones."""
    T = ca.SX.sym("T", 16)
    goal = Frame(orthogonal(pose(T).R), pose(T).p)
    return Equation("rigid", {"T": T}, {"goal": ca.vec(goal.T.T), "flaw": flaw(T)})


def pose(T: Any) -> Frame:
    """Return 16 symbols, row by row, as a pose."""
    rows = ca.reshape(T, 4, 4).T
    return Frame(rows[:3, :3], rows[:3, 3])


def error(goal: Frame, here: Frame) -> Any:
    """Return the error (6) from one pose to another, both in base."""
    return ca.vertcat(goal.p - here.p, rotation_vector(goal.R @ here.R.T))


def rotation_vector(R: Any) -> Any:
    r"""Return axis times angle of a rotation, the angle in [0, pi].

    .. math:: s = \tfrac12 (r_{32} - r_{23}, r_{13} - r_{31}, r_{21} - r_{12}), \quad
              c = \tfrac12 (tr R - 1), \quad \log R = s \, \frac{atan2(|s|, c)}{|s|}

    Near half a turn, where s vanishes, the axis is the longest column of ``R + R^T - 2 c I``.
    """
    s = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2
    c, sine = (ca.trace(R) - 1) / 2, ca.sqrt(ca.sumsqr(s))
    angle = ca.atan2(sine, c)
    small = ca.if_else(sine < 1e-30, 1, angle / sine) * s
    return ca.if_else(c < HALF_TURN_COSINE, _near_half_turn(R, s, c, angle), small)


def _near_half_turn(R: Any, s: Any, c: Any, angle: Any) -> Any:
    S = R + R.T - 2 * c * ca.SX.eye(3)
    axis, longest = S[:, 0], S[0, 0]
    for k in (1, 2):
        axis = ca.if_else(S[k, k] > longest, S[:, k], axis)
        longest = ca.fmax(S[k, k], longest)
    length = ca.fmax(ca.sqrt(ca.sumsqr(axis)), 1e-150)
    return axis * (ca.if_else(ca.dot(axis, s) < 0, -angle, angle) / length)


def orthogonal(R: Any) -> Any:
    """Return the rotation near R: two steps ``R (3 I - R^T R) / 2``, each squaring the error."""
    for _ in range(2):
        R = R @ (1.5 * ca.SX.eye(3) - 0.5 * (R.T @ R))
    return R


def flaw(T: Any) -> Any:
    """Return the largest error of a pose: ``R^T R`` from identity, the last row from 0 0 0 1.

    A mirrored rotation has at least 1.
    """
    R, row = pose(T).R, T[12:]
    off = ca.vertcat(ca.vec(R.T @ R - ca.SX.eye(3)), row[:3], row[3] - 1)
    return ca.fmax(ca.mmax(ca.fabs(off)), ca.if_else(ca.det(R) < 0, 1, 0))
