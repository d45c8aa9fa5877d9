"""C source of a program, for a single state and, in SIMD lanes, for batches.

The file defines ``void NAME(long rows, const double *const *x, double *const *y)`` over row-major
arrays, one row per state, and needs no C library. Rows are taken ``lanes`` at a time (c_rows.py).
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from armtwin.compile.program import Program
from armtwin.compile.targets.c_rows import blocks_source, literal, streaming_condition

VECTOR_MATH = Path(__file__).with_name("vector_math.h")

INFIX = {"add": "+", "sub": "-", "mul": "*"}
CALLS = {
    "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos",
    "atan": "atan", "atan2": "atan2", "tanh": "tanh", "exp": "exp", "fabs": "abs", "sign": "sign",
    "copysign": "copysign", "fmin": "min", "fmax": "max", "floor": "floor",
    "if_else_zero": "if_else_zero",
}  # fmt: skip
TESTS = {
    "lt": "less$({0}, {1})", "le": "at_most$({0}, {1})", "eq": "equal$({0}, {1})",
    "ne": "~equal$({0}, {1})", "not": "equal$({0}, all$(0.0))",
    "and": "not_zero$({0}) & not_zero$({1})", "or": "not_zero$({0}) | not_zero$({1})",
}  # fmt: skip


def function_source(program: Program, lanes: int = 1, name: str = "kernel") -> str:
    """Return the C text of a program: math, one state and, where lanes > 1, batches.

    Args:
        program: what to compute.
        lanes: SIMD lanes of the batch code; 1 for one state at a time.
        name: of the exported function.
    """
    values = Values(program)
    parts = [math_source(1), body_source(program, 1, values)]
    if lanes > 1:
        parts += [math_source(lanes), body_source(program, lanes, values)]
        parts.append(blocks_source(program, lanes))
    return "\n".join([*parts, driver_source(program, lanes, name)])


@functools.cache
def math_source(lanes: int) -> str:
    """Return the elementary functions over a number of lanes."""
    return VECTOR_MATH.read_text(encoding="utf-8").replace("$", str(lanes))


def body_source(program: Program, lanes: int, values: Values | None = None) -> str:
    """Return ``static inline void body(x..., y...)`` over entries of type V, in straight line.

    With more than one lane, constant outputs are written where rows are stored.

    Args:
        program: what to compute.
        lanes: SIMD lanes of a V.
        values: the program's values in C, where they were written before or differ from doubles.
    """
    read = {step[1] for step in program.steps if step[0] == "input"}
    values = values or Values(program)
    lines = [f"(void)x{p};" for p in range(len(program.inputs)) if p not in read]
    lines += values.lines
    for port, results in enumerate(program.results):
        computed = [(i, v) for i, v in enumerate(results) if lanes == 1 or not values.constant(v)]
        lines += [f"y{port}[{i}] = {values.wide(v)};" for i, v in computed]
    arguments = [f"const V$ *restrict x{p}" for p in range(len(program.inputs))]
    arguments += [f"V$ *restrict y{p}" for p in range(len(program.outputs))]
    head = f"static inline void body$({', '.join(arguments)}) {{\n  "
    return (head + "\n  ".join(lines) + "\n}\n").replace("$", str(lanes))


class Values:
    """The values of a program in C, for any number of lanes (``$``).

    Args:
        program: what to compute.
        real: type of the program's constants, double or float.
        division: a quotient, with places for its operands.
    """

    def __init__(self, program: Program, real: str = "double", division: str = "{} / {}") -> None:
        self.steps, self.real, self.division = program.steps, real, division
        angles = [{s[1] for s in program.steps if s[0] == name} for name in ("sin", "cos")]
        self.paired = angles[0] & angles[1]
        self.index = {(s[0], s[1]): k for k, s in enumerate(program.steps) if len(s) == 2}

    @functools.cached_property
    def lines(self) -> list[str]:
        """The lines that define all values, in their order."""
        return [line for k, step in enumerate(self.steps) for line in self.line(k, *step)]

    def name(self, k: int) -> str:
        """Return a value as an operand beside a vector: a number may stay a scalar."""
        step = self.steps[k]
        return literal(step[1], self.real) if step[0] == "const" else f"v{k}"

    def constant(self, k: int) -> bool:
        """Return whether a value is a number of the program."""
        return bool(self.steps[k][0] == "const")

    def wide(self, k: int) -> str:
        """Return a value as a full vector."""
        return f"all$({literal(self.steps[k][1], self.real)})" if self.constant(k) else f"v{k}"

    def line(self, k: int, operation: str, *operands: Any) -> list[str]:
        """Return the line that defines value ``k``."""
        if operation == "const":
            return []
        if operation == "input":
            return [f"const V$ v{k} = x{operands[0]}[{operands[1]}];"]
        if operation in ("sin", "cos") and operands[0] in self.paired:
            return self._pair(k, operands[0])
        return [f"const V$ v{k} = {self._expression(operation, operands)};"]

    def _pair(self, k: int, angle: int) -> list[str]:
        sine, cosine = self.index["sin", angle], self.index["cos", angle]
        if k != min(sine, cosine):
            return []
        return [f"V$ v{sine}, v{cosine}; sincos$({self.wide(angle)}, &v{sine}, &v{cosine});"]

    def _expression(self, operation: str, operands: tuple[int, ...]) -> str:
        if operation in INFIX:
            a, b = self.name(operands[0]), self.name(operands[1])
            return f"{a} {INFIX[operation]} {b}"
        if operation == "div":
            return self.division.format(*map(self.name, operands))
        if operation == "inv":
            return self.division.format(literal(1.0, self.real), self.name(operands[0]))
        if operation in TESTS:
            return f"truth$({TESTS[operation].format(*map(self.wide, operands))})"
        if operation in CALLS:
            return f"{CALLS[operation]}$({', '.join(map(self.wide, operands))})"
        a = self.name(operands[0])
        return {"neg": f"-{a}", "sq": f"{a} * {a}", "twice": f"{a} + {a}"}[operation]


def driver_source(program: Program, lanes: int, name: str) -> str:
    """Return the exported loop over rows: blocks of lanes, then one by one.

    If outputs have long rows, the loop with streaming stores is exported as ``NAME_stream``; it
    returns the number of rows done and needs aligned outputs.

    Args:
        program: what to compute, for the sizes of its rows.
        lanes: SIMD lanes of the batch code; 1 for none.
        name: of the exported function.
    """
    rows = [f"x[{p}] + i * {port.size}" for p, port in enumerate(program.inputs)]
    rows += [f"y[{p}] + i * {port.size}" for p, port in enumerate(program.outputs)]
    arguments = "long rows, const double *const *x, double *const *y"
    streamed = streaming_condition(program, lanes) if lanes > 1 else ""
    lines = [f"void {name}({arguments}) {{", "long i = 0;"]
    if streamed:
        streaming = "long i = blocks$(rows, x, y, 1); fence$(); return i;"
        lines.insert(0, f"long {name}_stream({arguments}) {{ {streaming} }}")
        lines.append(f"if ({streamed}) i = {name}_stream(rows, x, y); else")
    if lanes > 1:
        lines.append("i = blocks$(rows, x, y, 0);")
    lines += [f"for (; i < rows; i++) body1({', '.join(rows)});", "}"]
    return "\n".join(lines).replace("$", str(lanes)) + "\n"
