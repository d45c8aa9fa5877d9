"""Loading, transposing and storing blocks of rows in the C target.

A block is ``lanes`` rows. A square of numbers is loaded by rows and transposed, so that lane k of
every value belongs to row k; results are transposed back.
"""

from __future__ import annotations

import ctypes
import math

from armtwin.compile.outputs import LARGE
from armtwin.compile.program import Program

LONG_ROW = 64
"""Entries per row from which large results are written with streaming stores."""


def literal(number: float, real: str = "double") -> str:
    """Return a number as C text that reads back exactly; negative ones stand in brackets.

    A float is rounded here: compilers warn of constants that lie beyond its range.
    """
    if real == "float":
        number = ctypes.c_float(number).value
    if math.isnan(number):
        return '__builtin_nan("")'
    if math.isinf(number):
        return "__builtin_inf()" if number > 0 else "(-__builtin_inf())"
    text = float(number).hex() + ("f" if real == "float" else "")
    return f"({text})" if number < 0 or text.startswith("-") else text


def blocks_source(program: Program, lanes: int) -> str:
    """Return ``blocks(rows, x, y, streaming)``: complete blocks; returns the number of rows done.

    ``streaming`` selects streaming (non-temporal) stores for outputs with long rows.
    """
    ins, outs = list(enumerate(program.inputs)), list(enumerate(program.outputs))
    lines = [
        "static inline __attribute__((always_inline)) long blocks$(long rows, "
        "const double *const *x, double *const *y, const int streaming) {",
        "long i = 0;",
        f"for (; i + {lanes + _margin(program, lanes)} <= rows; i += {lanes}) {{",
    ]
    for p, port in ins:
        lines += _load(p, port.size, lanes)
    lines += [f"V$ b{p}[{port.size}];" for p, port in outs]
    lines.append(f"body$({', '.join([f'a{p}' for p, _ in ins] + [f'b{p}' for p, _ in outs])});")
    for p, _ in outs:
        lines += _store(program, p, lanes)
    lines += ["}", "return i;", "}"]
    if not streaming_condition(program, lanes):
        lines.insert(1, "(void)streaming;")
    return transpose_source(lanes) + "\n".join(lines).replace("$", str(lanes)) + "\n"


def transpose_source(lanes: int) -> str:
    """Return ``square(V r[lanes])``, an in-register transpose by log2(lanes) rounds of shuffles."""
    lines = [f"static inline __attribute__((always_inline)) void square{lanes}(V{lanes} *r) {{"]
    lines.append(f"  V{lanes} t[{lanes}];")
    width, source, target = 1, "r", "t"
    while width < lanes:
        for row in range(lanes):
            first, second, picks = _shuffle(row, width, lanes)
            inputs = f"{source}[{first}], {source}[{second}], {picks}"
            lines.append(f"  {target}[{row}] = shuffle{lanes}({inputs});")
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


def _store(program: Program, port: int, lanes: int) -> list[str]:
    """Return the lines that transpose an output's squares back into rows and store them.

    A square of constants needs no transpose; it too passes through ``opaque`` (vector_math.h).
    ``streaming`` selects streaming stores.
    """
    results, size, lines = program.results[port], program.outputs[port].size, []
    for start in _windows(size, lanes):
        window = results[start : start + lanes]
        if all(program.steps[v][0] == "const" for v in window) and len(window) == lanes:
            numbers = ", ".join(literal(program.steps[v][1]) for v in window)
            lines.append(f"{{ const V$ c = opaque$((V$){{{numbers}}});")
            rows = ["c"] * lanes
        else:
            values = [_value(program, port, start + i) for i in range(len(window))]
            values += ["opaque$(all$(0.0))"] * (lanes - len(window))
            lines.append(f"{{ V$ r[$] = {{{', '.join(values)}}}; square$(r);")
            rows = [f"r[{i}]" for i in range(lanes)]
        places = [f"y[{port}] + (i + {i}) * {size} + {start}" for i in range(lanes)]
        pairs = list(zip(places, rows, strict=True))
        plain = [f"__builtin_memcpy({place}, &{row}, sizeof(V$));" for place, row in pairs]
        if _may_stream(size, lanes):
            lines.append("if (streaming) {")
            lines += [f"  stream$({place}, {row});" for place, row in pairs]
            lines += ["} else {", *plain, "}"]
        else:
            lines += plain
        lines.append("}")
    return lines


def _value(program: Program, port: int, index: int) -> str:
    """Return an output's entry for a transpose: a constant, or the value that the body computed.

    gcc may drop a constant operand of a shuffle, and after inlining it may find that a computed
    entry is constant too. ``opaque`` (vector_math.h) hides from it what any entry is.
    """
    operation, *operands = program.steps[program.results[port][index]]
    value = f"all$({literal(operands[0])})" if operation == "const" else f"b{port}[{index}]"
    return f"opaque$({value})"


def _may_stream(size: int, lanes: int) -> bool:
    """Return whether an output's rows are long, and whole numbers of vectors."""
    return size >= LONG_ROW and size % lanes == 0


def streaming_condition(program: Program, lanes: int) -> str:
    """Return the C condition under which long rows are streamed; empty where there are none."""
    ports = [(p, o.size) for p, o in enumerate(program.outputs) if _may_stream(o.size, lanes)]
    return " && ".join(
        f"rows * {8 * size}L >= {LARGE}L && (__UINTPTR_TYPE__)y[{p}] % {8 * lanes} == 0"
        for p, size in ports
    )
