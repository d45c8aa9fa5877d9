"""Plain C99 of programs for firmware: one state a call, no allocation, no library but libm.

The elementary functions are those of float_math.h, which both this target and CUDA in float32 read;
their names are libm's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from armtwin.compile.program import Program
from armtwin.compile.targets.c import Values, body_source
from armtwin.compile.targets.cuda import FLOAT_MATH, Real

HEAD = re.compile(r"static inline \S+ (\w+)\(")
LIBM = re.compile(r"\b(fabs|copysign|floor|sqrt|sin|cos|tan|asin|acos|atan|atan2|exp|tanh)f\(")


def programs_source(programs: Mapping[str, Program], real: Real) -> str:
    """Return C99 text with ``static void NAME(inputs ..., outputs ...)`` for every program.

    Inputs and outputs are arrays that do not overlap.

    Args:
        programs: the programs by name.
        real: type of all numbers.
    """
    bodies = [_body(name, program, real) for name, program in programs.items()]
    return "\n".join(["#include <math.h>\n", _math("".join(bodies), real), *bodies])


def _body(name: str, program: Program, real: Real) -> str:
    text = body_source(program, 1, Values(program, real)).replace("body1(", f"{name}(")
    text = text.replace("static inline void", "static void").replace("V1 ", f"{real} ")
    return text.replace('__builtin_nan("")', "NAN").replace("__builtin_inf()", "INFINITY")


def _math(bodies: str, real: Real) -> str:
    """Return the elementary functions that the bodies call."""
    text = FLOAT_MATH.read_text(encoding="utf-8")
    text = text.replace("__device__ __forceinline__", "static inline")
    if real == "double":
        text = LIBM.sub(r"\1(", text).replace("float", "double").replace(".0f", ".0")
    calls = set(re.findall(r"\b(\w+1)\(", bodies))
    kept = [line for line in text.splitlines() if _is_used(line, calls)]
    return "\n".join(kept) + "\n"


def _is_used(line: str, calls: set[str]) -> bool:
    head = HEAD.match(line)
    return line.startswith("typedef") or (head is not None and head[1] in calls)
