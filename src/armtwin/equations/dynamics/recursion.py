"""Recursions over the bodies of a serial chain: Newton-Euler and composite rigid bodies.

All vectors of body i are expressed in its joint frame, whose z axis is the joint's axis. A body is
given by mass ``m``, first moment ``h = m c`` and inertia ``I`` about the frame's origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armtwin import spatial
from armtwin.equations.chain import (
    Frame,
    cos_sin,
    frame,
    joint_variables,
    matrix,
    segments,
)
from armtwin.equations.symbolic import ca
from armtwin.model import drive as drives
from armtwin.model.arm import Arm, Joint, Link

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


@dataclass(frozen=True)
class RigidBody:
    """Mass, first moment and inertia about the origin, in some frame."""

    m: Any
    h: Any
    I: Any  # noqa: E741

    def expressed_in(self, at: Frame) -> RigidBody:
        r"""Return the same body in the frame in which its own frame has the pose ``at``.

        .. math:: h' = R h + m p, \quad
                  I' = R I R^T + 2 (p \cdot R h) 1 - p (R h)^T - (R h) p^T
                       + m (p \cdot p\, 1 - p p^T)
        """
        p, turned = at.p, at.R @ self.h
        shift = _about(p, turned) + _about(turned, p) + self.m * _about(p, p)
        return RigidBody(self.m, turned + self.m * p, at.R @ self.I @ at.R.T + shift)


def _about(a: Any, b: Any) -> Any:
    return ca.dot(a, b) * ca.SX.eye(3) - a @ b.T


def link_body(link: Link) -> RigidBody:
    """Return a link's body in its link frame; all zeros for a link without mass."""
    if link.mass is None:
        return RigidBody(ca.SX(1, 1), ca.SX(3, 1), ca.SX(3, 3))
    c = matrix([[x] for x in link.com or (0, 0, 0)])
    xx, yy, zz, xy, xz, yz = link.inertia or (0,) * 6
    about_centre = matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return RigidBody(ca.SX(link.mass), link.mass * c, about_centre + link.mass * _about(c, c))


def symbolic_body(p: Any) -> RigidBody:
    """Return the body of ten symbols in the order of ``PARAMETERS``."""
    inertia = matrix([[p[4], p[5], p[6]], [p[5], p[7], p[8]], [p[6], p[8], p[9]]])
    return RigidBody(p[0], p[1:4], inertia)


@dataclass(frozen=True)
class ChainRow:
    """A row of the chain: the step from the joint frame before, and its body."""

    joint: Joint
    step: Frame
    body: RigidBody


def rows(arm: Arm, q: Any, bodies: list[RigidBody] | None = None) -> list[ChainRow]:
    """Return for every row the pose of joint frame i in joint frame i-1 and its body there.

    Args:
        arm: the arm.
        q: joint positions (dof,) [rad | m].
        bodies: a rigid body per row in its joint frame; None for the arm's own links.
    """
    given = bodies or [link_body(joint.link) for joint in arm.joints]
    result, before = [], frame(arm.base)
    moved = zip(segments(arm), joint_variables(arm, q), given, strict=True)
    for segment, s, body in moved:
        turn, shift = segment.joint.turn_and_shift(s)
        motion = Frame(matrix(spatial.rotation_z(*cos_sin(turn))), matrix([[0], [0], [shift]]))
        step = before @ segment.before @ motion
        result.append(ChainRow(segment.joint, step, body.expressed_in(segment.after)))
        before = segment.after
    return result


def _per_row(arm: Arm, x: Any) -> list[Any]:
    """Return ``direction_i x_i`` for driven rows and 0 for fixed ones."""
    index = iter(range(arm.dof))
    return [ca.SX(0) if j.kind == "fixed" else j.direction * x[next(index)] for j in arm.joints]


def newton_euler(arm: Arm, chained: list[ChainRow], qd: Any, qdd: Any, gravity: Any) -> Any:
    r"""Return joint torques by the recursive Newton-Euler algorithm, rotors not included.

    Outward, with ``W = [alpha]x + [omega]x [omega]x`` of the body before:

    .. math:: \omega_i = R^T \omega + z \dot s, \quad
              \alpha_i = R^T \alpha + (R^T \omega) \times z \dot s + z \ddot s, \quad
              a_i = R^T (a + W p) + [2 \omega_i \times z \dot s + z \ddot s]_{prismatic}

    with ``a_0 = -g``; inward:

    .. math:: f_i = m a_i + W_i h + R f_{i+1}, \quad
              n_i = I \alpha_i + \omega_i \times I \omega_i + h \times a_i
                    + R n_{i+1} + p \times R f_{i+1}

    Args:
        arm: the arm.
        chained: poses and bodies of the rows, as ``rows`` returns them.
        qd: joint speeds (dof,) [rad/s | m/s].
        qdd: joint accelerations (dof,) [rad/s2 | m/s2].
        gravity: acceleration of gravity in base (3,) [m/s2].
    """
    omega, alpha, a = ca.SX(3, 1), ca.SX(3, 1), -gravity
    W, forces = ca.SX(3, 3), []
    speeds, accelerations = _per_row(arm, qd), _per_row(arm, qdd)
    for row, v, dv in zip(chained, speeds, accelerations, strict=True):
        R_t, slides = row.step.R.T, row.joint.kind == "prismatic"
        a = R_t @ (a + W @ row.step.p)
        omega, alpha = R_t @ omega, R_t @ alpha
        if slides:
            a = a + 2 * ca.cross(omega, _z() * v) + _z() * dv
        else:
            alpha = alpha + ca.cross(omega, _z() * v) + _z() * dv
            omega = omega + _z() * v
        W = ca.skew(alpha) + omega @ omega.T - ca.dot(omega, omega) * ca.SX.eye(3)
        body = row.body
        f = body.m * a + W @ body.h
        n = body.I @ alpha + ca.cross(omega, body.I @ omega) + ca.cross(body.h, a)
        forces.append((f, n))
    return _inward(arm, chained, forces)


def _inward(arm: Arm, chained: list[ChainRow], forces: list[tuple[Any, Any]]) -> Any:
    f, n, torques = ca.SX(3, 1), ca.SX(3, 1), []
    for k in reversed(range(len(chained))):
        f, n = f + forces[k][0], n + forces[k][1]
        joint, step = chained[k].joint, chained[k].step
        if joint.kind != "fixed":
            torques.append(joint.direction * (f[2] if joint.kind == "prismatic" else n[2]))
        f, n = step.R @ f, step.R @ n
        n = n + ca.cross(step.p, f)
    return ca.vertcat(*reversed(torques))


def armature(arm: Arm) -> Any:
    """Return the rotor inertia at each joint, ``(J_motor + J_reducer) gear^2`` (dof, 1)."""
    return ca.vertcat(*[ca.SX(drives.armature(joint.drive)) for joint in arm.driven])


def gravity_vector(arm: Arm) -> Any:
    """Return the acceleration of free fall in base (3, 1)."""
    return matrix([[x] for x in arm.gravity])


def composite_mass_matrix(arm: Arm, q: Any) -> Any:
    """Return the mass matrix (dof, dof) by composite rigid bodies, rotors included.

    Column i is the torque of a unit acceleration of joint i: the force and moment that accelerate
    the composite body beyond joint i, transmitted by joints 1..i.
    """
    chained = rows(arm, q)
    composite, driven = RigidBody(ca.SX(1, 1), ca.SX(3, 1), ca.SX(3, 3)), arm.dof
    M = ca.SX(arm.dof, arm.dof)
    for k in reversed(range(len(chained))):
        own = chained[k].body
        composite = RigidBody(composite.m + own.m, composite.h + own.h, composite.I + own.I)
        if chained[k].joint.kind != "fixed":
            driven -= 1
            _fill_column(M, chained[: k + 1], composite, driven)
        composite = composite.expressed_in(chained[k].step)
    return M + ca.diag(armature(arm))


def _fill_column(M: Any, chained: list[ChainRow], body: RigidBody, column: int) -> None:
    joint = chained[-1].joint
    if joint.kind == "prismatic":
        f, n = joint.direction * body.m * _z(), joint.direction * ca.cross(body.h, _z())
    else:
        f, n = joint.direction * ca.cross(_z(), body.h), joint.direction * (body.I @ _z())
    index = column
    for row in reversed(chained):
        if row.joint.kind != "fixed":
            M[index, column] = row.joint.direction * (
                f[2] if row.joint.kind == "prismatic" else n[2]
            )
            M[column, index] = M[index, column]
            index -= 1
        f, n = row.step.R @ f, row.step.R @ n
        n = n + ca.cross(row.step.p, f)


def solve_symmetric(M: Any, b: Any) -> Any:
    """Return ``M^-1 b`` for symmetric positive definite M by ``M = L D L^T``."""
    return substituted(*factors(M), b)


def factors(M: Any) -> tuple[Any, Any]:
    """Return unit lower triangular L (n, n) and D (n, 1) with ``M = L diag(D) L^T``."""
    n = M.shape[0]
    L, D = ca.SX.eye(n), ca.SX(n, 1)
    for j in range(n):
        D[j] = M[j, j] - sum((L[j, k] ** 2 * D[k] for k in range(j)), ca.SX(0))
        for i in range(j + 1, n):
            L[i, j] = (M[i, j] - sum((L[i, k] * L[j, k] * D[k] for k in range(j)), ca.SX(0))) / D[j]
    return L, D


def substituted(L: Any, D: Any, b: Any) -> Any:
    """Return ``(L diag(D) L^T)^-1 b`` by substitution, one column of ``b`` (n, m) at a time.

    Args:
        L: unit lower triangular (n, n).
        D: diagonal (n, 1).
        b: right-hand sides (n, m).
    """
    n, columns = L.shape[0], []
    for y in ca.horzsplit(ca.SX(b)):
        for i in range(n):
            y[i] -= sum((L[i, k] * y[k] for k in range(i)), ca.SX(0))
        y = y / D
        for i in reversed(range(n)):
            y[i] -= sum((L[k, i] * y[k] for k in range(i + 1, n)), ca.SX(0))
        columns.append(y)
    return ca.horzcat(*columns)


def _z() -> Any:
    """Return the axis of a joint in its own frame."""
    return ca.SX(ca.DM([0, 0, 1]))
