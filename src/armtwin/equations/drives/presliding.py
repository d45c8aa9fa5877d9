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

from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca

ELEMENTS = 6
"""Maxwell-slip elements of a joint."""


def step() -> Equation:
    """Elements ``z`` and share ``s`` of the dry friction of one joint after a displacement.

    Inputs: elements z (6), displacement dq (1) [rad], presliding (1) [rad], yield_exponent (1).
    """
    z, dq = ca.SX.sym("z", ELEMENTS), ca.SX.sym("dq")
    distance, exponent = ca.SX.sym("presliding"), ca.SX.sym("yield_exponent")
    moved = []
    for i in range(ELEMENTS):
        element = distance * ca.exp(exponent * math.log((i + 1) / ELEMENTS))
        moved.append(ca.fmax(-1, ca.fmin(1, z[i] + dq / element)))
    after = ca.vertcat(*moved)
    inputs = {"z": z, "dq": dq, "presliding": distance, "yield_exponent": exponent}
    return Equation("presliding_step", inputs, {"z_after": after, "s": ca.sum1(after) / ELEMENTS})
