r"""One step of the arm under motor torques: an integrator as an equation, shared by all targets.

With :math:`W = M(q + h v / 2)`, friction as :math:`f(v) = K(v)\, v` (K diagonal, not negative),
:math:`\gamma = 1 - 1/\sqrt 2`, :math:`\delta = 1 - 1 / (2 \gamma)` and :math:`e(v)` the torques of
motors, environment, gravity and Coriolis at the middle position:

.. math:: (W + \gamma h K_1)\, v_1 = W v + \gamma h\, e(v), \qquad
          (W + \gamma h K_2)\, v' = W v + h (\delta e(v) + (1 - \delta) e(v_1))
          - (1 - \gamma) h K_1 v_1, \qquad q' = q + h (v + v') / 2

This is an IMEX Runge-Kutta method (Ascher, Ruuth, Spiteri 1997, ARS(2,2,2)) with the positions of
the midpoint rule: of second order, and L-stable over friction, however stiff. :math:`K_i` is that
of the stage's own speed, found by secant iterations; a joint that friction stops stays at rest.
"""

from __future__ import annotations

import math
from typing import Any

from armtwin.equations.dynamics.plant import joint_friction, link_torques
from armtwin.equations.dynamics.recursion import composite_mass_matrix, solve_symmetric
from armtwin.equations.dynamics.rigid_body import torque
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

GAMMA = 1 - 1 / math.sqrt(2)
DELTA = 1 - 1 / (2 * GAMMA)
"""Coefficients of ARS(2,2,2): this gamma makes it L-stable, this delta of second order."""
PASSES = 3
"""Secant iterations of a stage; one alone lags behind a joint that breaks free."""
MIN_SPEED = 1e-9
"""Speed at which the friction of a standing joint is read, far below every smoothing [rad/s]."""


def plant_step(arm: Arm) -> Equation:
    """Positions and speeds after a step [s] under constant torques tau of the motors, and tau_ext.

    Friction is smoothed near zero speed, as in ``plant``; presliding is left out.
    """
    q, qd, tau, push = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "tau", "tau_ext"))
    h = ca.SX.sym("step", 1)
    middle = q + h / 2 * qd
    M = composite_mass_matrix(arm, middle)
    forced = [tau + push - _bias(arm, middle, qd)]
    v, K = _stage(arm, M, tau, qd, M @ qd + GAMMA * h * forced[0], GAMMA * h)
    forced.append(tau + push - _bias(arm, middle, v))
    mean = DELTA * forced[0] + (1 - DELTA) * forced[1]
    rest = M @ qd + h * mean - (1 - GAMMA) * h * K * v
    end, _ = _stage(arm, M, tau, v, rest, GAMMA * h)
    inputs = {"q": q, "qd": qd, "tau": tau, "tau_ext": push, "step": h}
    return Equation("plant_step", inputs, {"q_next": q + h / 2 * (qd + end), "qd_next": end})


def _bias(arm: Arm, q: Any, qd: Any) -> Any:
    """Return Coriolis, centrifugal and gravity torques (dof, 1)."""
    return torque(arm, q, qd, ca.SX(arm.dof, 1))


def _stage(arm: Arm, M: Any, tau: Any, v: Any, rest: Any, h: Any) -> tuple[Any, Any]:
    """Solve ``(M + h K(v)) v = rest`` from a first speed; return speed and friction slope K.

    Args:
        arm: the arm.
        M: mass matrix (dof, dof).
        tau: torques of the motors (dof,) [Nm | N].
        v: speeds to begin with (dof,) [rad/s | m/s].
        rest: right-hand side (dof, 1).
        h: length of the stage [s].
    """
    K = ca.SX(arm.dof, 1)
    for _ in range(PASSES):
        K = _secant(arm, v, tau)
        v = solve_symmetric(M + h * ca.diag(K), rest)
    return v, K


def _secant(arm: Arm, qd: Any, tau: Any) -> Any:
    """Return friction over speed (dof, 1) [Nms/rad], not negative."""
    v = ca.if_else(ca.fabs(qd) < MIN_SPEED, MIN_SPEED, qd)
    f = joint_friction(arm, v, link_torques(arm, v, tau))
    return ca.fmax(f / v, 0)
