r"""Regressor of links and drives, and its gradient with respect to the motion.

Columns are the ten inertial parameters of every row, then per joint rotor inertia, viscous and
Coulomb friction and a constant:

.. math:: \tau = [\,Y(q, \dot q, \ddot q) \;|\; diag(\ddot q) \;|\; diag(\dot q) \;|\;
          diag(\tanh(\dot q / \epsilon)) \;|\; 1\,]\, \pi

``gradient`` gives the gradients of :math:`\langle W, Y \rangle` for a matrix W of weights, by which
any function of the regressors of a motion is differentiated.
"""

from __future__ import annotations

from typing import Any

from armtwin.equations.dynamics.rigid_body import regressor as rigid_regressor
from armtwin.equations.equation import Equation
from armtwin.equations.kinematics import capsules
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

SIGN = 0.05
"""Speed over which the sign in the Coulomb column changes [rad/s]."""


def _whole(arm: Arm) -> tuple[dict[str, Any], Any]:
    rigid = rigid_regressor(arm)
    qd, qdd = rigid.inputs["qd"], rigid.inputs["qdd"]
    drives = [ca.diag(qdd), ca.diag(qd), ca.diag(ca.tanh(qd / SIGN)), ca.SX.eye(arm.dof)]
    return rigid.inputs, ca.horzcat(rigid.outputs["Y"], *drives)


def regressor(arm: Arm) -> Equation:
    """Regressor Y (dof, 10 rows + 4 dof) of links and drives."""
    inputs, Y = _whole(arm)
    return Equation("regressor", inputs, {"Y": Y})


def gradient(arm: Arm) -> Equation:
    """Gradients of ``sum(W * Y)`` with respect to q, qd and qdd, each (dof,)."""
    inputs, Y = _whole(arm)
    W = ca.SX.sym("W", Y.numel())
    total = ca.dot(ca.reshape(W, Y.shape[1], Y.shape[0]).T, ca.densify(Y))
    outputs = {f"gradient_{name}": ca.gradient(total, x) for name, x in inputs.items()}
    return Equation("gradient", {**inputs, "W": W}, outputs)


def _weighted_gradient(equation: Equation) -> Equation:
    y, q = equation.outputs["clearance"], equation.inputs["q"]
    w = ca.SX.sym("w", max(int(y.numel()), 1))
    total = ca.dot(w[: y.numel()], y) if y.numel() else ca.SX(0)
    return Equation(
        f"{equation.name}_gradient", {"q": q, "w": w}, {"gradient": ca.gradient(total, q)}
    )


def self_distances_gradient(arm: Arm) -> Equation:
    """Gradient (dof,) of a weighted sum of the distances between the arm's own capsules."""
    return _weighted_gradient(capsules.self_distances(arm))


def heights_gradient(arm: Arm) -> Equation:
    """Gradient (dof,) of a weighted sum of heights above the mounting plane."""
    return _weighted_gradient(capsules.heights(arm))
