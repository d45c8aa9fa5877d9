r"""Exact derivatives of inverse and forward dynamics by state and input.

With the inverse dynamics ``ID(q, qd, qdd) = M qdd + C qd + g - J^T F`` and the forward dynamics
``FD(q, qd, tau)``, which solves ``ID(q, qd, FD) = tau`` for every q and qd:

.. math:: \frac{\partial FD}{\partial q} = -M^{-1} \frac{\partial ID}{\partial q}, \quad
          \frac{\partial FD}{\partial \dot q} = -M^{-1} \frac{\partial ID}{\partial \dot q}, \quad
          \frac{\partial FD}{\partial \tau} = M^{-1}

with the derivatives of ID taken at ``qdd = FD(q, qd, tau)``. The wrench F acts at the tool and
keeps its components in base axes while the joints move.
"""

from __future__ import annotations

from typing import Any

from armtwin.equations.dynamics.recursion import composite_mass_matrix, factors, substituted
from armtwin.equations.dynamics.rigid_body import torque, wrench_on_joints
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm


def _symbols(arm: Arm, last: str) -> dict[str, Any]:
    return {name: ca.SX.sym(name, arm.dof) for name in ("q", "qd", last)}


def _by_state(arm: Arm, q: Any, qd: Any, qdd: Any, wrench: Any | None) -> tuple[Any, Any]:
    """Return the derivatives of the inverse dynamics by q and by qd, both (dof, dof).

    Args:
        arm: an arm with masses.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        qdd: joint accelerations (dof,) [rad/s2 | m/s2].
        wrench: force and moment on the tool in base axes (6,) [N, Nm]; None for none.
    """
    tau = torque(arm, q, qd, qdd)
    if wrench is not None:
        tau = tau - wrench_on_joints(arm, q, wrench)
    return ca.jacobian(tau, q), ca.jacobian(tau, qd)


def _inverse(arm: Arm, name: str, wrench: Any | None = None) -> Equation:
    state = _symbols(arm, "qdd")
    by_q, by_qd = _by_state(arm, **state, wrench=wrench)
    M = composite_mass_matrix(arm, state["q"])
    outputs = {"dtau_dq": by_q, "dtau_dqd": by_qd, "dtau_dqdd": M}
    return Equation(name, state | ({} if wrench is None else {"wrench": wrench}), outputs)


def _forward(arm: Arm, name: str, wrench: Any | None = None) -> Equation:
    inputs, qdd = _symbols(arm, "tau"), ca.SX.sym("qdd", arm.dof)
    q, qd, tau = inputs.values()
    bias = torque(arm, q, qd, ca.SX(arm.dof, 1))
    if wrench is not None:
        bias = bias - wrench_on_joints(arm, q, wrench)
        inputs["wrench"] = wrench
    L, D = factors(composite_mass_matrix(arm, q))
    found = substituted(L, D, tau - bias)
    slopes = ca.substitute(ca.horzcat(*_by_state(arm, q, qd, qdd, wrench)), qdd, found)
    solved = substituted(L, D, ca.horzcat(-ca.densify(slopes), ca.SX.eye(arm.dof)))
    by_q, by_qd, by_tau = ca.horzsplit(solved, arm.dof)
    return Equation(name, inputs, {"dqdd_dq": by_q, "dqdd_dqd": by_qd, "dqdd_dtau": by_tau})


def inverse_derivatives(arm: Arm) -> Equation:
    """Derivatives of the joint torques by q, qd and qdd; the last is the mass matrix."""
    return _inverse(arm, "inverse_derivatives")


def inverse_derivatives_with_wrench(arm: Arm) -> Equation:
    """Derivatives of the joint torques by q, qd and qdd while a wrench acts on the tool."""
    return _inverse(arm, "inverse_derivatives_with_wrench", ca.SX.sym("wrench", 6))


def forward_derivatives(arm: Arm) -> Equation:
    """Derivatives of the acceleration by q, qd and tau; the last is the inverse mass matrix."""
    return _forward(arm, "forward_derivatives")


def forward_derivatives_with_wrench(arm: Arm) -> Equation:
    """Derivatives of the acceleration by q, qd and tau while a wrench acts on the tool."""
    return _forward(arm, "forward_derivatives_with_wrench", ca.SX.sym("wrench", 6))
