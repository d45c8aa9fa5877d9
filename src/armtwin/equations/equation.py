"""An equation: named symbolic inputs and outputs, and its flat list of instructions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from armtwin.equations.symbolic import ca
from armtwin.errors import CompileError

OPERATIONS = """
    ADD SUB MUL DIV NEG SQ TWICE INV SQRT SIN COS TAN ASIN ACOS ATAN ATAN2 TANH EXP FABS SIGN
    COPYSIGN FMIN FMAX FLOOR LT LE EQ NE NOT AND OR IF_ELSE_ZERO ASSIGN CONST INPUT OUTPUT
"""


@functools.cache
def operations() -> dict[int, str]:
    """Return the names of the CasADi operations that targets implement, by number."""
    return {getattr(ca, f"OP_{name}"): name.lower() for name in OPERATIONS.split()}


VECTORS = (
    "q", "qd", "qdd", "thetadd", "tau", "g", "p", "beta", "u", "residual", "friction", "current",
    "voltage", "shaft", "joule", "loss_ideal", "loss_lossy", "power_ideal", "power_lossy",
)  # fmt: skip
MATRICES = (
    "M", "C", "J", "Y", "dtau_dq", "dtau_dqd", "dtau_dqdd", "dqdd_dq", "dqdd_dqd", "dqdd_dtau",
)  # fmt: skip
RANKS = {**dict.fromkeys((*VECTORS, "power"), 1), **dict.fromkeys(MATRICES, 2)}
"""Rank of symbols over the joints, also for an arm with one joint."""


@dataclass(frozen=True)
class Equation:
    """Named inputs (SX vectors) and outputs (SX scalars, vectors or matrices)."""

    name: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]

    def listing(self) -> dict[str, Any]:
        """Return the equation as plain data: ports and instructions.

        Each instruction is ``(operation, result, operands...)`` over numbered registers, with
        ``("const", r, value)``, ``("input", r, port, index)`` and ``("output", port, index, r)``.
        Outputs are flattened row by row.
        """
        function = self.function()
        steps = [_instruction(function, k) for k in range(function.n_instructions())]
        return {
            "name": self.name,
            "inputs": [[name, [int(x.numel())]] for name, x in self.inputs.items()],
            "outputs": [[name, _shape(name, x)] for name, x in self.outputs.items()],
            "registers": int(function.sz_w()),
            "instructions": steps,
        }

    def function(self) -> Any:
        """Return the CasADi function with common subexpressions eliminated."""
        flat = [ca.densify(ca.vec(ca.SX(x).T)) for x in self.outputs.values()]
        shared = ca.cse(ca.vertcat(*flat))
        sizes = [0]
        for x in flat:
            sizes.append(sizes[-1] + x.numel())
        parts = [shared[a:b] for a, b in zip(sizes, sizes[1:], strict=False)]
        return ca.Function(
            self.name, list(self.inputs.values()), parts, list(self.inputs), list(self.outputs)
        )


def _shape(name: str, x: Any) -> list[int]:
    rows, columns = ca.SX(x).shape
    rank = 2 if columns > 1 else 1 if rows > 1 else 0
    return [int(rows), int(columns)][: max(rank, RANKS.get(name, 0))]


def _instruction(function: Any, k: int) -> tuple[Any, ...]:
    operation = function.instruction_id(k)
    known = operations()
    if operation not in known:
        raise CompileError(
            f"equation {function.name()!r} uses CasADi operation {operation}, which no target "
            f"implements; implemented: {', '.join(known.values())}"
        )
    name = known[operation]
    results = [int(i) for i in function.instruction_output(k)]
    operands = [int(i) for i in function.instruction_input(k)]
    if name == "const":
        return ("const", results[0], float(function.instruction_constant(k)))
    if name == "input":
        return ("input", results[0], *operands)
    if name == "output":
        return ("output", *results, operands[0])
    return (name, results[0], *operands)


Build = Callable[..., Equation]
"""A function that derives an equation, from an arm or without one. Callers refer to an equation by
its function: ``kernel(arm, rigid_body_equations.mass_matrix)``."""
