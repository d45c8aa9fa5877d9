r"""Vector-Jacobian products of an equation, for reverse-mode differentiation.

.. math:: \bar x_i = \sum_k \left(\frac{\partial y_k}{\partial x_i}\right)^T \bar y_k
"""

from __future__ import annotations

import functools
from typing import Any

from armtwin.equations.equation import Build, Equation
from armtwin.equations.symbolic import ca


@functools.cache
def reverse(build: Build) -> Build:
    """Return the function that derives the vector-Jacobian products of an equation.

    Inputs are those of the equation, then one seed (size,) per output, its entries in row order;
    outputs are one gradient (size,) per input.
    """

    def derive(*arms: Any) -> Equation:
        forward = build(*arms)
        flat = {name: ca.vec(ca.SX(y).T) for name, y in forward.outputs.items()}
        seeds = {name: ca.SX.sym(f"seed_{name}", y.numel()) for name, y in flat.items()}
        gradients = {
            f"gradient_{name}": sum(
                (ca.jtimes(y, x, seeds[port], True) for port, y in flat.items()),
                ca.SX.zeros(*x.shape),
            )
            for name, x in forward.inputs.items()
        }
        inputs = {**forward.inputs, **{f"seed_{name}": seed for name, seed in seeds.items()}}
        return Equation(f"{forward.name}_reverse", inputs, gradients)

    derive.__name__, derive.__module__ = f"{build.__name__}_reverse", build.__module__
    return derive
