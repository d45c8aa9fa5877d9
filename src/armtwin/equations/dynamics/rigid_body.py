r"""Rigid-body dynamics of a serial chain, each quantity as one equation.

.. math:: M(q) \ddot q + C(q, \dot q) \dot q + g(q) = \tau
"""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import chain, identity, point_jacobian
from armtwin.equations.dynamics.recursion import (
    RigidBody,
    armature,
    composite_mass_matrix,
    gravity_vector,
    link_body,
    newton_euler,
    rows,
    solve_symmetric,
    symbolic_body,
)
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm


def torque(arm: Arm, q: Any, qd: Any, qdd: Any) -> Any:
    """Return ``M(q) qdd + C(q, qd) qd + g(q)``, rotors included (dof, 1).

    Args:
        arm: an arm with masses.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        qdd: joint accelerations (dof,) [rad/s2 | m/s2].
    """
    rigid = newton_euler(arm, rows(arm, q), qd, qdd, gravity_vector(arm))
    return rigid + armature(arm) * qdd


def inverse_dynamics(arm: Arm) -> Equation:
    """Joint torques [Nm] of a motion, without friction."""
    q, qd, qdd = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "qdd"))
    inputs = {"q": q, "qd": qd, "qdd": qdd}
    return Equation("inverse_dynamics", inputs, {"tau": torque(arm, q, qd, qdd)})


def mass_matrix(arm: Arm) -> Equation:
    """Mass matrix ``M(q)`` [kg m2], symmetric positive definite."""
    q = ca.SX.sym("q", arm.dof)
    return Equation("mass_matrix", {"q": q}, {"M": composite_mass_matrix(arm, q)})


def coriolis_matrix(arm: Arm, q: Any, qd: Any) -> Any:
    r"""Return C(q, qd) of the Christoffel symbols, so that ``Mdot - 2 C`` is skew.

    .. math:: C = \tfrac12 \left( \dot M + \frac{\partial (M \dot q)}{\partial q}
              - \frac{\partial (M \dot q)}{\partial q}^T \right)

    Args:
        arm: an arm with masses.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
    """
    M = composite_mass_matrix(arm, q)
    D = ca.jacobian(M @ qd, q)
    M_dot = ca.reshape(ca.jtimes(ca.vec(M), q, qd), arm.dof, arm.dof)
    return (M_dot + D - D.T) * 0.5


def coriolis(arm: Arm) -> Equation:
    """Coriolis matrix ``C(q, qd)`` [Nm s/rad]."""
    q, qd = ca.SX.sym("q", arm.dof), ca.SX.sym("qd", arm.dof)
    return Equation("coriolis", {"q": q, "qd": qd}, {"C": coriolis_matrix(arm, q, qd)})


def gravity(arm: Arm) -> Equation:
    """Gravity torques ``g(q)`` [Nm]."""
    q, still = ca.SX.sym("q", arm.dof), ca.SX(arm.dof, 1)
    g = newton_euler(arm, rows(arm, q), still, still, gravity_vector(arm))
    return Equation("gravity", {"q": q}, {"g": g})


def loaded_gravity(arm: Arm) -> Equation:
    """Gravity torques [Nm] of the arm with a load in its last link, under any gravity.

    Inputs: q (dof), gravity, the acceleration of free fall in base (3) [m/s2], and load, its mass
    [kg] and first moment [kg m] in the last link's frame (4).
    """
    q, still, field = ca.SX.sym("q", arm.dof), ca.SX(arm.dof, 1), ca.SX.sym("gravity", 3)
    load = ca.SX.sym("load", 4)
    bodies = [link_body(joint.link) for joint in arm.joints]
    last = bodies[-1]
    bodies[-1] = RigidBody(last.m + load[0], last.h + load[1:], last.I)
    g = newton_euler(arm, rows(arm, q, bodies), still, still, field)
    return Equation("loaded_gravity", {"q": q, "gravity": field, "load": load}, {"g": g})


def forward_dynamics(arm: Arm) -> Equation:
    """Acceleration under joint torques: ``M qdd = tau - C qd - g``, solved by L D L^T."""
    arm.require_free_joints("forward dynamics")
    q, qd, tau = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "tau"))
    bias = torque(arm, q, qd, ca.SX(arm.dof, 1))
    qdd = solve_symmetric(composite_mass_matrix(arm, q), tau - bias)
    return Equation("forward_dynamics", {"q": q, "qd": qd, "tau": tau}, {"qdd": qdd})


def kinetic_energy(arm: Arm, q: Any, qd: Any) -> Any:
    """Return ``K = qd^T M qd / 2`` [J] from ``M qd``, the torque of acceleration qd at rest.

    Args:
        arm: an arm with masses.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
    """
    still, weightless = ca.SX(arm.dof, 1), ca.SX(3, 1)
    p = newton_euler(arm, rows(arm, q), still, qd, weightless) + armature(arm) * qd
    return ca.dot(qd, p) * 0.5


def potential_energy(arm: Arm, q: Any) -> Any:
    """Return ``U = -sum_i g . (m_i p_i + R_i h_i)`` [J]."""
    total, at = ca.SX(0), identity()
    for row in rows(arm, q):
        at = at @ row.step
        total -= ca.dot(gravity_vector(arm), row.body.m * at.p + at.R @ row.body.h)
    return total


def energies(arm: Arm) -> Equation:
    """Kinetic and potential energy [J]."""
    q, qd = ca.SX.sym("q", arm.dof), ca.SX.sym("qd", arm.dof)
    outputs = {"kinetic": kinetic_energy(arm, q, qd), "potential": potential_energy(arm, q)}
    return Equation("energies", {"q": q, "qd": qd}, outputs)


def momentum_and_rate(
    arm: Arm, q: Any, qd: Any, bodies: list[RigidBody] | None = None
) -> tuple[Any, Any]:
    r"""Return ``p = M qd`` and ``beta = dK/dq - g`` of the links, or of given bodies instead.

    Without rotors, whose constant inertia adds ``armature qd`` to p alone.

    Args:
        arm: the arm.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        bodies: a rigid body per row in its joint frame; None for the arm's own links.
    """
    still, weightless, chained = ca.SX(arm.dof, 1), ca.SX(3, 1), rows(arm, q, bodies)
    p = newton_euler(arm, chained, still, qd, weightless)
    g = newton_euler(arm, chained, still, still, gravity_vector(arm))
    return p, ca.gradient(ca.dot(qd, p) * 0.5, q) - g


def momentum(arm: Arm) -> Equation:
    r"""Generalized momentum and the observer's known rate.

    .. math:: p = M \dot q, \qquad \beta = C^T \dot q - g, \quad
              C^T \dot q = \partial K / \partial q

    so that ``dp/dt = tau + tau_ext + beta``.
    """
    q, qd = ca.SX.sym("q", arm.dof), ca.SX.sym("qd", arm.dof)
    p, beta = momentum_and_rate(arm, q, qd)
    return Equation("momentum", {"q": q, "qd": qd}, {"p": p + armature(arm) * qd, "beta": beta})


def wrench_on_joints(arm: Arm, q: Any, wrench: Any) -> Any:
    """Return the joint torques ``J^T F`` of a wrench at the tool in base axes (dof, 1).

    Args:
        arm: the arm.
        q: joint positions (dof,) [rad | m].
        wrench: force [N] and moment [Nm] on the tool in base axes (6,).
    """
    links = chain(arm, q)
    return point_jacobian(links, links.tool.p).T @ wrench


def wrench_torque(arm: Arm) -> Equation:
    """Joint torques ``J^T F`` that a wrench at the tool (force, moment in base) exerts."""
    q, wrench = ca.SX.sym("q", arm.dof), ca.SX.sym("wrench", 6)
    inputs = {"q": q, "wrench": wrench}
    return Equation("wrench_torque", inputs, {"tau": wrench_on_joints(arm, q, wrench)})


def regressor(arm: Arm) -> Equation:
    """Matrix Y with ``tau = Y(q, qd, qdd) pi``, ten ``PARAMETERS`` a row of the chain."""
    q, qd, qdd = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "qdd"))
    pi = ca.SX.sym("pi", 10, len(arm.joints))
    bodies = [symbolic_body(pi[:, k]) for k in range(len(arm.joints))]
    tau = newton_euler(arm, rows(arm, q, bodies), qd, qdd, gravity_vector(arm))
    Y = ca.jacobian(tau, ca.vec(pi))
    return Equation("regressor", {"q": q, "qd": qd, "qdd": qdd}, {"Y": Y})
