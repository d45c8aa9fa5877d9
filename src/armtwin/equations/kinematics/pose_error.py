"""Error from the tool's pose to a target pose, and its Jacobian."""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import Frame
from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.tool_pose import tool_motion
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

HALF_TURN_COSINE = -0.999
"""Below this cosine the axis is taken from ``R + R^T``."""
SMALL_ANGLE = 1e-2
"""Below this angle [rad] two terms of a series are enough: the next is below 1e-12, times w^2."""


def error_and_jacobian(arm: Arm) -> Equation:
    r"""Error (6) from the tool at ``q`` to the pose ``goal`` (16, row by row), and J (6, dof).

    .. math:: e = \begin{bmatrix} R_{goal}^T (p_{goal} - p) \\ w \end{bmatrix}, \quad
              w = \log(R^T R_{goal}), \quad J = -\partial e / \partial q

    in the axes of the goal, metres then radians, so that ``J dq = e`` to first order. The rows of
    the rotation hold the derivative of w, which is the angular velocity only where w = 0:

    .. math:: -\dot w = D(w) \, R_{goal}^T \omega, \quad D(w) = I + \tfrac12 [w]_\times
              + \frac{1 - \frac{|w|}{2} \cot \frac{|w|}{2}}{|w|^2} [w]_\times^2
    """
    q, goal = ca.SX.sym("q", arm.dof), ca.SX.sym("goal", 16)
    tool, J = tool_motion(arm, q)
    wanted = pose(goal)
    turned = wanted.R.T
    w = rotation_vector(tool.R.T @ wanted.R)
    e = ca.vertcat(turned @ (wanted.p - tool.p), w)
    rows = ca.vertcat(turned @ J[:3, :], _rate_of_rotation_vector(w) @ (turned @ J[3:, :]))
    return Equation("pose_error", {"q": q, "goal": goal}, {"error": e, "J": rows})


def _rate_of_rotation_vector(w: Any) -> Any:
    """Return D(w) (3, 3); its last factor is a series where the angle is small."""
    W, angle = ca.skew(w), ca.sqrt(ca.sumsqr(w))
    half = angle / 2
    quotient = (1 - half * ca.cos(half) / ca.sin(half)) / angle**2
    factor = ca.if_else(angle < SMALL_ANGLE, 1 / 12 + angle**2 / 720, quotient)
    return ca.SX.eye(3) + W / 2 + factor * (W @ W)


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
    r"""Return the rotation near R, to the third power of its error.

    .. math:: R (R^T R)^{-1/2} \approx R (I - \tfrac12 E + \tfrac38 E^2), \quad E = R^T R - I
    """
    E = _excess(R)
    square = _symmetric([[ca.dot(E[:, i], E[:, j]) for j in range(i + 1)] for i in range(3)])
    return R @ (ca.SX.eye(3) - 0.5 * E + 0.375 * square)


def flaw(T: Any) -> Any:
    """Return the largest error of a pose: ``R^T R`` from identity, the last row from 0 0 0 1.

    A mirrored rotation has at least 1.
    """
    R, row = pose(T).R, T[12:]
    E = _excess(R)
    off = ca.vertcat(*[E[i, j] for i in range(3) for j in range(i + 1)], row[:3], row[3] - 1)
    return ca.fmax(ca.mmax(ca.fabs(off)), ca.det(R) < 0)


def _excess(R: Any) -> Any:
    """Return ``R^T R - I``."""
    lower = [[ca.dot(R[:, i], R[:, j]) for j in range(i + 1)] for i in range(3)]
    return _symmetric(lower) - ca.SX.eye(3)


def _symmetric(lower: list[list[Any]]) -> Any:
    """Return a symmetric matrix (3, 3) from its lower rows."""
    rows = [[lower[max(i, j)][min(i, j)] for j in range(3)] for i in range(3)]
    return ca.vertcat(*[ca.horzcat(*row) for row in rows])
