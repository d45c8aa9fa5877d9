"""Control laws as CasADi expressions."""

from __future__ import annotations

from typing import Any

from armtwin.equations.drives.drive import friction_parts
from armtwin.equations.dynamics.plant import joint_friction
from armtwin.equations.dynamics.rigid_body import torque
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

COMPENSATION_SPEED = 0.05
"""Speed over which compensated dry friction changes sign [rad/s]: above what sensors mistake for
motion at rest, below what a hand moves an arm at."""


def computed_torque(arm: Arm) -> Equation:
    r"""Computed torque: inverse dynamics with a prescribed error dynamics.

    .. math:: e = q_r - q, \quad a = \ddot q_r + k_v \odot \dot e + k_p \odot e, \quad
              \tau = M(q) a + C(q, \dot q) \dot q + g(q) + share \cdot f(\dot q_r, \cdot)

    so that a matched arm obeys ``e'' + k_v e' + k_p e = 0``. ``f`` is the arm's friction at the
    reference speed under that torque; ``share`` is the fraction fed forward, 0 to 1.

    Inputs: q, qd, q_ref, qd_ref, qdd_ref [rad, rad/s, rad/s2], kp [1/s2], kv [1/s], each (dof),
    and share (1). Outputs: tau [Nm] and the acceleration a that it is to give [rad/s2], each (dof).
    """
    names = ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "kp", "kv")
    x: dict[str, Any] = {name: ca.SX.sym(name, arm.dof) for name in names}
    x["share"] = ca.SX.sym("share", 1)
    acceleration = (
        x["qdd_ref"] + x["kv"] * (x["qd_ref"] - x["qd"]) + x["kp"] * (x["q_ref"] - x["q"])
    )
    links = torque(arm, x["q"], x["qd"], acceleration)
    tau = links + x["share"] * joint_friction(arm, x["qd_ref"], links)
    outputs = {"tau": ca.densify(tau), "acceleration": acceleration}
    return Equation("computed_torque", x, outputs)


def friction_compensation(arm: Arm) -> Equation:
    r"""Motor torque that takes a share of the friction off a joint, from its measured speed.

    .. math:: \tau_c = s_v \odot f_v(\dot q)
              + s_c \odot f_d(\dot q, load) \odot \tanh(\dot q / \dot q_0)

    with the parts of ``friction_parts``. Shares below 1 leave friction that brakes, and a standing
    joint gets no torque, so that it neither creeps nor vibrates.

    Inputs: qd [rad/s], load (torque of links and rotors) [Nm], viscous and coulomb (shares), each
    (dof). Output: tau (dof) [Nm].
    """
    parts = friction_parts(arm)
    shares = {name: ca.SX.sym(name, arm.dof) for name in ("viscous", "coulomb")}
    qd, load = parts.inputs["qd"], parts.inputs["tau"]
    dry = parts.outputs["dry"] * ca.tanh(qd / COMPENSATION_SPEED)
    tau = shares["viscous"] * parts.outputs["viscous"] + shares["coulomb"] * dry
    return Equation("friction_compensation", {"qd": qd, "load": load} | shares, {"tau": tau})


def gravity_pd(arm: Arm) -> Equation:
    r"""PD control of every joint with gravity compensation.

    .. math:: \tau = k_p \odot (q_r - q) + k_d \odot (\dot q_r - \dot q) + g(q)

    Inputs: q, qd, q_ref, qd_ref [rad, rad/s], kp [Nm/rad], kd [Nms/rad], each (dof).
    Output: tau (dof) [Nm].
    """
    names = ("q", "qd", "q_ref", "qd_ref", "kp", "kd")
    x: dict[str, Any] = {name: ca.SX.sym(name, arm.dof) for name in names}
    still = ca.SX(arm.dof, 1)
    springs = x["kp"] * (x["q_ref"] - x["q"]) + x["kd"] * (x["qd_ref"] - x["qd"])
    tau = springs + torque(arm, x["q"], still, still)
    return Equation("gravity_pd", x, {"tau": ca.densify(tau)})
