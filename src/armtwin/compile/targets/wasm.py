"""C source of a WebAssembly module: several programs, two states at a time in SIMD128 lanes.

Every program becomes one exported function over rows in the module's memory::

    void NAME(rows, input pointers ..., output pointers ...)

An input that is shared has one row for the whole call. An odd last state runs in both lanes, so
that one body serves single states and batches. Nothing is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armtwin.compile.program import Program
from armtwin.compile.targets.c import body_source, math_source
from armtwin.compile.targets.c_rows import literal

LANES = 2
"""Doubles of a SIMD128 vector."""
CALLS = ("void sincos$(", "V$ atan2$(", "V$ exp$(", "V$ tanh$(")
"""Elementary functions that stay calls, to keep the code small."""


@dataclass(frozen=True)
class RowFunction:
    """A program as a function over rows.

    Attributes:
        name: of the exported function.
        program: what it computes.
        shared: names of the inputs that have one row for all states.
    """

    name: str
    program: Program
    shared: frozenset[str] = frozenset()


def module_source(functions: Sequence[RowFunction], more: str = "") -> str:
    """Return the C text of a module; ``more`` is further C text that may call the functions."""
    parts = [_math(), *(_function(function) for function in functions), more]
    return "\n".join(parts)


def _math() -> str:
    """Return the elementary functions; long ones stay calls."""
    text = math_source(LANES)
    for head in (call.replace("$", str(LANES)) for call in CALLS):
        text = text.replace(f"static inline {head}", f"static __attribute__((noinline)) {head}")
    return text


def head_source(function: RowFunction) -> str:
    """Return the head of a function's C definition."""
    program = function.program
    arguments = ["long rows"]
    arguments += [f"const double *x{p}" for p in range(len(program.inputs))]
    arguments += [f"double *y{p}" for p in range(len(program.outputs))]
    return f"void {function.name}({', '.join(arguments)})"


def _function(function: RowFunction) -> str:
    program = function.program
    ports = [f"a{p}" for p in range(len(program.inputs))]
    ports += [f"b{p}" for p in range(len(program.outputs))]
    shared = [port.name in function.shared for port in program.inputs]
    lines = [f'__attribute__((export_name("{function.name}"))) {head_source(function)} {{']
    lines += [_spread(p, program.inputs[p].size) for p, yes in enumerate(shared) if yes]
    lines.append("for (long i = 0; i < rows; i += 2) {")
    lines.append("const long next = i + 1 < rows;")
    lines += [_load(p, program.inputs[p].size) for p, yes in enumerate(shared) if not yes]
    lines += [f"V2 b{p}[{port.size}];" for p, port in enumerate(program.outputs)]
    lines.append(f"body_{function.name}({', '.join(ports)});")
    lines += [_store(program, p) for p in range(len(program.outputs))]
    body = body_source(program, LANES).replace("body2(", f"body_{function.name}(")
    return body + "\n".join([*lines, "}", "}"]) + "\n"


def _spread(p: int, size: int) -> str:
    """Return the lines that copy a shared row to all lanes."""
    return f"V2 a{p}[{size}]; for (int k = 0; k < {size}; k++) a{p}[k] = all2(x{p}[k]);"


def _load(p: int, size: int) -> str:
    """Return the lines that load two rows, the last one twice where it has no neighbour."""
    rows = f"const double *r{p} = x{p} + i * {size}, *s{p} = r{p} + next * {size};"
    return f"{rows} V2 a{p}[{size}]; for (int k = 0; k < {size}; k++) " + (
        f"a{p}[k] = (V2){{r{p}[k], s{p}[k]}};"
    )


def _store(program: Program, p: int) -> str:
    """Return the lines that store two rows of an output, constants included."""
    size = program.outputs[p].size
    lines = [f"double *u{p} = y{p} + i * {size}, *w{p} = u{p} + next * {size};"]
    for k, value in enumerate(program.results[p]):
        operation, *operands = program.steps[value]
        if operation == "const":
            number = literal(operands[0])
            lines.append(f"u{p}[{k}] = {number}; w{p}[{k}] = {number};")
        else:
            lines.append(f"u{p}[{k}] = b{p}[{k}][0]; w{p}[{k}] = b{p}[{k}][1];")
    return "\n".join(lines)
