r"""The momentum observer's model with corrections learned from clean runs as inputs.

The corrections ``theta`` are added to the arm's numbers; the model is linear in them:

.. math:: p = p_0(q, \dot q) + P(q, \dot q)\, \theta, \qquad
          u = u_0(q, \dot q, \tau) + U(q, \dot q, \tau)\, \theta

``theta`` holds ten numbers per row of the chain (added to m, m c and the inertia about the link
frame's origin, in the order of ``recursion.PARAMETERS``), then for every joint the five of
``JOINT_PARAMETERS``.
"""

from __future__ import annotations

from typing import Any

from armtwin.equations.control.observer import known_rate
from armtwin.equations.drives.drive import load_dependent
from armtwin.equations.dynamics.recursion import symbolic_body
from armtwin.equations.dynamics.rigid_body import momentum_and_rate
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

JOINT_PARAMETERS = ("rotor", "coulomb", "viscous", "load", "offset")
"""Added rotor inertia [kg m2], load-dependent friction [Nm, Nms/rad, 1] and torque offset [Nm]."""


def rate(arm: Arm) -> Equation:
    """Momentum ``p`` and known rate ``u`` (dof each) with the corrections theta.

    Inputs: q, qd, tau (dof each) [rad, rad/s, Nm at the joints], theta, and the speed
    ``smoothing`` (1) [rad/s] over which friction changes sign.
    """
    inputs, p, u = _corrected(arm)
    return Equation("rate", inputs, {"p": p, "u": u})


def features(arm: Arm) -> Equation:
    """The matrices P and U, each (dof, size of theta)."""
    inputs, p, u = _corrected(arm)
    theta = inputs.pop("theta")
    outputs = {"P": ca.jacobian(p, theta), "U": ca.jacobian(u, theta)}
    return Equation("features", inputs, {name: ca.densify(x) for name, x in outputs.items()})


def _corrected(arm: Arm) -> tuple[dict[str, Any], Any, Any]:
    known, count = known_rate(arm), len(arm.joints)
    inputs: dict[str, Any] = dict(known.inputs)
    theta = ca.SX.sym("theta", 10 * count + len(JOINT_PARAMETERS) * arm.dof)
    inputs |= {"theta": theta, "smoothing": ca.SX.sym("smoothing", 1)}
    bodies = [symbolic_body(theta[10 * k : 10 * k + 10]) for k in range(count)]
    p, beta = momentum_and_rate(arm, inputs["q"], inputs["qd"], bodies)
    at_joints = ca.reshape(theta[10 * count :], len(JOINT_PARAMETERS), arm.dof)
    load = momentum_and_rate(arm, inputs["q"], inputs["qd"])[1]
    rotor = at_joints[0, :].T * inputs["qd"]
    friction = [_friction(inputs, load, at_joints[:, i], i) for i in range(arm.dof)]
    return (
        inputs,
        known.outputs["p"] + p + rotor,
        known.outputs["u"] + beta - ca.vertcat(*friction),
    )


def _friction(inputs: dict[str, Any], load: Any, numbers: Any, i: int) -> Any:
    """Return the added friction and offset of joint i [Nm]; the load is the gear torque."""
    named = dict(zip(JOINT_PARAMETERS, ca.vertsplit(numbers), strict=True))
    law = {name: named[name] for name in ("coulomb", "viscous", "load")}
    law["smoothing"] = inputs["smoothing"]
    return load_dependent(inputs["qd"][i], load[i], law) + named["offset"]
