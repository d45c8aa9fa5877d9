r"""Presliding: dry friction of a joint that rests or reverses, by Maxwell-slip elements.

N elastic elements in parallel each hold an equal part of the dry friction. Element i sticks until
it is displaced by :math:`d_i` and then slips:

.. math:: z_i \leftarrow \mathrm{clip}(z_i + \Delta q / d_i, -1, 1), \qquad
          d_i = d\, (i / N)^m, \qquad s = \frac{1}{N} \sum_i z_i

so that friction is ``viscous qd + dry s`` in place of ``viscous qd + dry sign(qd)``: it keeps the
value with which the joint came to rest, and follows the displacement with hysteresis. The update is
exact for any step in which the joint does not reverse, does not depend on time, and holds a
standing joint without creep. ``d`` is ``presliding``, ``m`` is ``yield_exponent``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm, Drive

ELEMENTS = 6
"""Maxwell-slip elements of a joint."""


def widths(distance: Any, exponent: Any) -> Any:
    """Return the displacements at which the elements slip (6, 1) [rad]."""
    shares = [ca.exp(exponent * math.log((i + 1) / ELEMENTS)) for i in range(ELEMENTS)]
    return distance * ca.vertcat(*shares)


def displaced(z: Any, dq: Any, width: Any) -> Any:
    """Return the elements (6, 1) after a displacement in one direction.

    Args:
        z: the elements before (6, 1).
        dq: the displacement [rad].
        width: displacements at which the elements slip (6, 1) [rad].
    """
    return ca.fmax(-1, ca.fmin(1, z + dq / width))


def share(z: Any) -> Any:
    """Return the share s of the dry friction that elements z (6, 1) hold, from -1 to 1."""
    return ca.sum1(z) / ELEMENTS


def sticking(z: Any, qd: Any) -> Any:
    """Return which elements (6, 1) stick at a speed qd, 1 or 0: those not displaced to the end."""
    return ca.if_else(z * ca.sign(qd) >= 1, 0, 1)


def numbers(drive: Drive | None) -> tuple[Any, Any] | None:
    """Return displacement at the joint [rad] and exponent; None for a drive without presliding."""
    if drive is None or drive.friction is None:
        return None
    given = dict(drive.friction.parameters)
    if "presliding" not in given:
        return None
    gear = ca.fabs(drive.gear) if drive.friction.side == "motor" else 1.0
    return given["presliding"] / gear, given.get("yield_exponent", 1.0)


@dataclass(frozen=True)
class Elements:
    """Maxwell-slip elements of the joints that have presliding.

    Attributes:
        z: their states, six a joint with presliding.
        dq: displacement of the joints since these states (dof, 1) [rad].
    """

    z: Any
    dq: Any

    def of(self, arm: Arm) -> dict[int, tuple[Any, Any, Any]]:
        """Return states, widths and states after ``dq``, by index of the joint."""
        found: dict[int, tuple[Any, Any, Any]] = {}
        for i, joint in enumerate(arm.driven):
            own = numbers(joint.drive)
            if own is not None:
                z, width = self.z[len(found) * ELEMENTS :][:ELEMENTS], widths(*own)
                found[i] = (z, width, displaced(z, self.dq[i], width))
        return found

    def after(self, arm: Arm) -> Any:
        """Return the states after the displacement."""
        return ca.vertcat(ca.SX(0, 1), *(after for _, _, after in self.of(arm).values()))

    def rates(self, arm: Arm, qd: Any) -> Any:
        """Return the rates of the states at joint speeds qd (dof,) [1/s]."""
        known = self.of(arm).items()
        rates = [qd[i] / width * sticking(z, qd[i]) for i, (z, width, _) in known]
        return ca.vertcat(ca.SX(0, 1), *rates)


def step() -> Equation:
    """Elements ``z`` and share ``s`` of the dry friction of one joint after a displacement.

    Inputs: elements z (6), displacement dq (1) [rad], presliding (1) [rad], yield_exponent (1).
    """
    z, dq = ca.SX.sym("z", ELEMENTS), ca.SX.sym("dq")
    distance, exponent = ca.SX.sym("presliding"), ca.SX.sym("yield_exponent")
    after = displaced(z, dq, widths(distance, exponent))
    inputs = {"z": z, "dq": dq, "presliding": distance, "yield_exponent": exponent}
    return Equation("presliding_step", inputs, {"z_after": after, "s": share(after)})
