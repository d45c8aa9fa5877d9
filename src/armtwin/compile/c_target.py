"""From a program to C: one text for a single state and, in lanes, for batches.

The file defines ``void NAME(long rows, const double *const *x, double *const *y)`` over row-major
arrays, one row per state, and needs no C library. Rows are taken ``lanes`` at a time: a square
of numbers is loaded by rows and transposed, so that lane k of every value belongs to row k.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from armtwin.compile.program import Program

VECTOR_MATH = Path(__file__).with_name("vector_math.h")

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
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
    """Return the C text of a program: math, one state and, where lanes > 1, batches."""
    parts = [math_source(1), body_source(program, 1)]
    if lanes > 1:
        parts += [math_source(lanes), transpose_source(lanes), body_source(program, lanes)]
    return "\n".join([*parts, _driver(program, lanes, name)])


def math_source(lanes: int) -> str:
    """Return the elementary functions over a number of lanes."""
    return VECTOR_MATH.read_text(encoding="utf-8").replace("$", str(lanes))


def body_source(program: Program, lanes: int) -> str:
    """Return ``static inline void body(x..., y...)`` over entries of type V, in straight line."""
    values, lines = _Values(program), []
    for k, step in enumerate(program.steps):
        lines += values.line(k, *step)
    for port, results in enumerate(program.results):
        lines += [f"y{port}[{i}] = {values.wide(v)};" for i, v in enumerate(results)]
    arguments = [f"const V$ *restrict x{p}" for p in range(len(program.inputs))]
    arguments += [f"V$ *restrict y{p}" for p in range(len(program.outputs))]
    head = f"static inline void body$({', '.join(arguments)}) {{\n  "
    return (head + "\n  ".join(lines) + "\n}\n").replace("$", str(lanes))


class _Values:
    """Knows how each value of a program is written in C."""

    def __init__(self, program: Program) -> None:
        self.steps = program.steps
        angles = [{s[1] for s in program.steps if s[0] == name} for name in ("sin", "cos")]
        self.paired = angles[0] & angles[1]
        self.index = {(s[0], s[1]): k for k, s in enumerate(program.steps) if len(s) == 2}

    def name(self, k: int) -> str:
        """Return a value as an operand beside a vector: a number may stay a scalar."""
        step = self.steps[k]
        return literal(step[1]) if step[0] == "const" else f"v{k}"

    def wide(self, k: int) -> str:
        """Return a value as a full vector."""
        return f"all$({literal(self.steps[k][1])})" if self.steps[k][0] == "const" else f"v{k}"

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
        if operation in TESTS:
            return f"truth$({TESTS[operation].format(*map(self.wide, operands))})"
        if operation in CALLS:
            return f"{CALLS[operation]}$({', '.join(map(self.wide, operands))})"
        a = self.name(operands[0])
        return {"neg": f"-{a}", "sq": f"{a} * {a}", "twice": f"{a} + {a}", "inv": f"1.0 / {a}"}[
            operation
        ]


def literal(number: float) -> str:
    """Return a number as C text that reads back exactly; negative ones stand in brackets."""
    text = float(number).hex()
    return f"({text})" if number < 0 or text.startswith("-") else text


def transpose_source(lanes: int) -> str:
    """Return ``square(V r[lanes])``, an in-register transpose by log2(lanes) rounds of shuffles."""
    lines = [f"static inline __attribute__((always_inline)) void square{lanes}(V{lanes} *r) {{"]
    lines.append(f"  V{lanes} t[{lanes}];")
    width, source, target = 1, "r", "t"
    while width < lanes:
        for row in range(lanes):
            first, second, picks = _shuffle(row, width, lanes)
            inputs = f"{source}[{first}], {source}[{second}], {picks}"
            lines.append(f"  {target}[{row}] = __builtin_shufflevector({inputs});")
        width, source, target = width * 2, target, source
    if source == "t":
        lines += [f"  r[{i}] = t[{i}];" for i in range(lanes)]
    return "\n".join([*lines, "}"]) + "\n"


def _shuffle(row: int, width: int, lanes: int) -> tuple[int, int, str]:
    """Return which two rows make ``row`` of a round and which entries of each it takes."""
    low = not row & width
    first, second = (row, row ^ width) if low else (row ^ width, row)
    own = [c & ~width if low else c | width for c in range(lanes)]
    picks = [o if not c & width else o + lanes for c, o in enumerate(own)]
    return first, second, ", ".join(map(str, picks))


def _windows(size: int, lanes: int) -> list[int]:
    """Return the first columns of the squares that cover a row of ``size`` entries.

    The last square is shifted back so as to end with the row. A row shorter than a square is
    loaded and stored with its neighbour's first entries behind it: rows go in order, so what
    spills over is written again, and ``_margin`` keeps it inside the array.
    """
    return [min(c, max(size - lanes, 0)) for c in range(0, size, lanes)]


def _margin(program: Program, lanes: int) -> int:
    """Return how many rows after a block must exist so that short rows may spill over."""
    sizes = [port.size for port in (*program.inputs, *program.outputs)]
    return max(-(-(lanes - size) // size) if 0 < size < lanes else 0 for size in sizes)


def _load(port: int, size: int, lanes: int) -> list[str]:
    lines = [f"V$ a{port}[{size}];"]
    for start in _windows(size, lanes):
        count = min(lanes, size - start)
        lines.append("{ V$ r[$];")
        for i in range(lanes):
            place = f"x[{port}] + (i + {i}) * {size} + {start}"
            lines.append(f"  __builtin_memcpy(&r[{i}], {place}, sizeof(V$));")
        lines.append("  square$(r);")
        lines += [f"  a{port}[{start + i}] = r[{i}];" for i in range(count)]
        lines.append("}")
    return lines


def _store(port: int, size: int, lanes: int) -> list[str]:
    lines = []
    for start in _windows(size, lanes):
        count = min(lanes, size - start)
        values = [f"b{port}[{start + i}]" if i < count else "all$(0.0)" for i in range(lanes)]
        lines.append(f"{{ V$ r[$] = {{{', '.join(values)}}};")
        lines.append("  square$(r);")
        for i in range(lanes):
            place = f"y[{port}] + (i + {i}) * {size} + {start}"
            lines.append(f"  __builtin_memcpy({place}, &r[{i}], sizeof(V$));")
        lines.append("}")
    return lines


def _driver(program: Program, lanes: int, name: str) -> str:
    """Return the exported loop over rows: lanes at a time, then one by one."""
    ins, outs = list(enumerate(program.inputs)), list(enumerate(program.outputs))
    rows = [f"x[{p}] + i * {port.size}" for p, port in ins]
    rows += [f"y[{p}] + i * {port.size}" for p, port in outs]
    lines = [f"void {name}(long rows, const double *const *x, double *const *y) {{", "long i = 0;"]
    if lanes > 1:
        lines.append(f"for (; i + {lanes + _margin(program, lanes)} <= rows; i += {lanes}) {{")
        for p, port in ins:
            lines += _load(p, port.size, lanes)
        lines += [f"V$ b{p}[{port.size}];" for p, port in outs]
        lines.append(f"body$({', '.join([f'a{p}' for p, _ in ins] + [f'b{p}' for p, _ in outs])});")
        for p, port in outs:
            lines += _store(p, port.size, lanes)
        lines.append("}")
    lines += [f"for (; i < rows; i++) body1({', '.join(rows)});", "}"]
    return "\n".join(lines).replace("$", str(lanes)) + "\n"
