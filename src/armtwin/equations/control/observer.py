"""The momentum observer as CasADi expressions, continuous and stepped."""

from __future__ import annotations

from typing import Any

from armtwin.equations.dynamics.plant import link_torques
from armtwin.equations.dynamics.rigid_body import momentum
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm


def known_rate(arm: Arm) -> Equation:
    r"""Momentum and its known rate.

    .. math:: p = M \dot q, \qquad u = \tau - f(\dot q, \tau) + C^T \dot q - g, \qquad
              \dot p = u + \tau_{ext}

    ``tau`` are the motor torques at the joints [Nm]; friction ``f`` is the arm's, zero if it has
    none.
    """
    tau, parts = ca.SX.sym("tau", arm.dof), momentum(arm)
    u = link_torques(arm, parts.inputs["qd"], tau) + parts.outputs["beta"]
    return Equation("known_rate", parts.inputs | {"tau": tau}, {"p": parts.outputs["p"], "u": u})


def momentum_step(arm: Arm) -> Equation:
    r"""One sample of the first-order momentum observer, ``r' = K (tau_ext - r)``.

    Over a sample of length h the mean external torque follows from the momentum's change, the
    known rate taken by the trapezoidal rule; the filter is solved exactly for that mean:

    .. math:: \bar\tau = \frac{p_k - p_{k-1}}{h} - \frac{u_k + u_{k-1}}{2}, \quad
              \phi = e^{-K h}, \quad r_k = \phi\, r_{k-1} + (1 - \phi)\, \bar\tau

    so a constant disturbance gives ``tau_ext (1 - exp(-K t))`` at every step length, and the step
    is stable for every ``K h > 0`` (the textbook's Euler form needs ``K h < 2``). ``h = 0`` starts
    the observer: the residual is kept, the memory is initialised.

    Inputs: q, qd, tau of the sample, residual_last, p_last, u_last of the one before, gain K [1/s],
    each (dof), and h (1) [s]. Outputs: residual [Nm], p [Nm s], u [Nm], each (dof).
    """
    now = known_rate(arm)
    p, u = now.outputs["p"], now.outputs["u"]
    memory: dict[str, Any] = {
        name: ca.SX.sym(name, arm.dof) for name in ("residual_last", "p_last", "u_last")
    }
    gain, h = ca.SX.sym("gain", arm.dof), ca.SX.sym("h", 1)
    starts = h <= 0
    mean = (p - memory["p_last"]) / ca.if_else(starts, 1, h) - (u + memory["u_last"]) * 0.5
    kept = ca.exp(-gain * ca.if_else(starts, 0, h))
    residual = kept * memory["residual_last"] + (1 - kept) * ca.if_else(starts, 0, mean)
    inputs = now.inputs | memory | {"gain": gain, "h": h}
    return Equation("momentum_step", inputs, {"residual": residual, "p": p, "u": u})
