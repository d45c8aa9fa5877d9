"""Link angles of joints that bend under gravity, and of joints with an error curve."""

from __future__ import annotations

from typing import Any

from armtwin.equations.dynamics.recursion import gravity_vector, newton_euler, rows
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm
from armtwin.model.error_curve import ErrorCurve


def link_angles(arm: Arm, q: Any) -> Any:
    """Return ``q + e(q) - c g(q)``, e the joints' error curves, c their compliances.

    Returns ``q`` itself where no joint has either.
    """
    angles = q
    if any(joint.error_curve for joint in arm.driven):
        angles = angles + curve_errors(arm, q)
    compliance = [joint.compliance for joint in arm.driven]
    if any(compliance):
        still = ca.SX(arm.dof, 1)
        g = newton_euler(arm, rows(arm, q), still, still, gravity_vector(arm))
        angles = angles - ca.vertcat(*compliance) * g
    return angles


def curve_errors(arm: Arm, q: Any) -> Any:
    """Return the errors (dof, 1) of the joints' curves at readings ``q``."""
    curves = [joint.error_curve for joint in arm.driven]
    return ca.vertcat(*[ca.SX(0) if c is None else _curve(c, q[i]) for i, c in enumerate(curves)])


def _curve(curve: ErrorCurve, angle: Any) -> Any:
    r"""Return ``e(q)`` by Clenshaw's recurrence, which needs one sine and one cosine.

    .. math:: u_k = a_k + 2 \cos q \, u_{k+1} - u_{k+2}, \quad
              \sum a_k \cos k q = u_1 \cos q - u_2, \quad \sum b_k \sin k q = v_1 \sin q
    """
    c, s = ca.cos(angle), ca.sin(angle)
    u, v = _clenshaw(curve.cosine, 2 * c), _clenshaw(curve.sine, 2 * c)
    return u[0] * c - u[1] + v[0] * s


def _clenshaw(coefficients: tuple[float, ...], twice_cosine: Any) -> tuple[Any, Any]:
    """Return the recurrence's last two terms, ``u_1`` and ``u_2``."""
    one, two = ca.SX(0), ca.SX(0)
    for coefficient in reversed(coefficients):
        one, two = coefficient + twice_cosine * one - two, one
    return one, two
