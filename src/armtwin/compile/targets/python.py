"""Python source of a program for one state, for machines without a compiler."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from armtwin.compile.program import Program

SCALAR = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "div({0}, {1})",
    "neg": "-{0}", "sq": "{0} * {0}", "twice": "{0} + {0}", "inv": "div(1.0, {0})",
    "sqrt": "known(sqrt, {0})", "sin": "known(sin, {0})", "cos": "known(cos, {0})",
    "tan": "known(tan, {0})", "asin": "known(asin, {0})", "acos": "known(acos, {0})",
    "atan": "atan({0})", "atan2": "atan2({0}, {1})", "tanh": "tanh({0})", "exp": "power({0})",
    "fabs": "abs({0})", "sign": "sign({0})", "copysign": "copysign({0}, {1})",
    "fmin": "least({0}, {1})", "fmax": "most({0}, {1})", "floor": "whole({0})",
    "lt": "float({0} < {1})", "le": "float({0} <= {1})", "eq": "float({0} == {1})",
    "ne": "float({0} != {1})", "not": "float(not {0})", "and": "float({0} != 0 and {1} != 0)",
    "or": "float({0} != 0 or {1} != 0)", "if_else_zero": "({1} if {0} else 0.0)",
}  # fmt: skip

Single = Callable[..., tuple[float, ...]]


def single_function(program: Program) -> Single:
    """Return a function of the flat input entries that returns the flat output entries."""
    names = [f"x{p}_{i}" for p, port in enumerate(program.inputs) for i in range(port.size)]
    lines = []
    for k, (operation, *operands) in enumerate(program.steps):
        if operation == "const":
            text = repr(float(operands[0]))
        elif operation == "input":
            text = f"x{operands[0]}_{operands[1]}"
        else:
            text = SCALAR[operation].format(*[f"v{v}" for v in operands])
        lines.append(f"v{k} = {text}")
    values = ", ".join(f"v{v}" for port in program.results for v in port)
    source = f"def single({', '.join(names)}):\n    " + "\n    ".join(
        [*lines, f"return ({values},)"]
    )
    space: dict[str, Any] = {**vars(math), **SCALAR_FUNCTIONS}
    exec(compile(source, f"<{program.name}>", "exec"), space)
    function: Single = space["single"]
    return function


def _divide(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _known(function: Callable[[float], float], x: float) -> float:
    """Return a function's value, NaN outside its domain (sqrt(-1), asin(2), sin(inf))."""
    try:
        return function(x)
    except ValueError:
        return math.nan


def _power(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _whole(x: float) -> float:
    return math.copysign(math.floor(x), x) if math.isfinite(x) else x


def _sign(x: float) -> float:
    return math.copysign(1.0, x) if x < 0 or x > 0 else x


def _least(a: float, b: float) -> float:
    return a if a < b or a != a else b


def _most(a: float, b: float) -> float:
    return a if b < a or a != a else b


SCALAR_FUNCTIONS = {
    "div": _divide, "known": _known, "power": _power, "whole": _whole, "sign": _sign,
    "least": _least, "most": _most,
}  # fmt: skip
