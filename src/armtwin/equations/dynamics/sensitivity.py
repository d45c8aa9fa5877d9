r"""Derivatives of torque and friction by the arm's parameters, for identification.

.. math:: \tau = Y(q, \dot q, \ddot q, g)\, \pi, \qquad
          f(\dot q, \tau; p),\ \partial f / \partial \tau,\ \partial f / \partial p

The friction laws are those of ``drive.py``, each with its parameters in the order of
``model.drive.PARAMETERS`` and ``smoothing`` last.
"""

from __future__ import annotations

from collections.abc import Callable

from armtwin.equations.drives.drive import LAWS
from armtwin.equations.dynamics.recursion import newton_euler, rows, symbolic_body
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm
from armtwin.model.drive import PARAMETERS


def regressor(arm: Arm) -> Equation:
    """Matrix Y of ``rigid_body.regressor`` with free fall in the base frame as an input."""
    q, qd, qdd = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "qdd"))
    gravity, pi = ca.SX.sym("gravity", 3), ca.SX.sym("pi", 10, len(arm.joints))
    bodies = [symbolic_body(pi[:, k]) for k in range(len(arm.joints))]
    tau = newton_euler(arm, rows(arm, q, bodies), qd, qdd, gravity)
    inputs = {"q": q, "qd": qd, "qdd": qdd, "gravity": gravity}
    return Equation("identification_regressor", inputs, {"Y": ca.jacobian(tau, ca.vec(pi))})


def _law(name: str) -> Equation:
    """Friction [Nm] at one joint and its derivatives by the load and by its parameters."""
    speed, load = ca.SX.sym("speed"), ca.SX.sym("load")
    names = (*PARAMETERS[name], "smoothing")
    p = ca.SX.sym("p", len(names))
    f = LAWS[name](speed, load, dict(zip(names, ca.vertsplit(p), strict=True)))
    outputs = {
        "friction": f,
        "by_load": ca.densify(ca.jacobian(f, load)),
        "by_parameter": ca.densify(ca.gradient(f, p)),
    }
    return Equation(name.replace("-", "_"), {"speed": speed, "load": load, "p": p}, outputs)


def viscous_coulomb() -> Equation:
    """Friction of ``drive.viscous_coulomb`` with its derivatives."""
    return _law("viscous-coulomb")


def power_flow() -> Equation:
    """Friction of ``drive.power_flow`` with its derivatives."""
    return _law("power-flow")


def stribeck() -> Equation:
    """Friction of ``drive.stribeck`` with its derivatives."""
    return _law("stribeck")


def load_dependent() -> Equation:
    """Friction of ``drive.load_dependent`` with its derivatives."""
    return _law("load-dependent")


def gear() -> Equation:
    """Friction of ``drive.gear`` with its derivatives."""
    return _law("gear")


FRICTION: dict[str, Callable[[], Equation]] = {
    "viscous-coulomb": viscous_coulomb,
    "power-flow": power_flow,
    "stribeck": stribeck,
    "load-dependent": load_dependent,
    "gear": gear,
}
"""The equation of each friction law, by the name that arm files use."""
