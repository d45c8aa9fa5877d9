"""CUDA C++ source of a program: one state per thread, in float64 or float32.

The file defines ``kernel(rows, x0, s0, ..., y0, ..., fault)`` over row-major arrays. ``s0`` is the
distance of an input's rows, 0 where all states share one row. Rows of outputs with many entries
are collected in shared memory and stored contiguously; a thread that writes a long row itself
wastes most of the memory bus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from armtwin.compile.program import Program
from armtwin.compile.targets import c as c_target
from armtwin.compile.targets.c_rows import literal

Real = Literal["double", "float"]
"""Number type of a kernel."""
DEVICE_MATH, FLOAT_MATH = (Path(__file__).with_name(f"{n}_math.h") for n in ("device", "float"))
WIDE = 12
"""Entries per row from which an output goes through shared memory; 6 are faster directly."""
SHARED = 48 * 1024
"""Shared memory of a block [bytes] that every CUDA device offers."""
SIZES: dict[Real, int] = {"double": 8, "float": 4}
THREADS = (64, 32)
"""Threads of a block; fewer where shared memory could not hold their rows."""
LONG = 900
"""Steps from which a program gets 168 registers a thread (6 blocks) instead of 128 (8 blocks)."""


@dataclass(frozen=True)
class Layout:
    """Threads of a block and where rows of wide outputs lie in shared memory.

    Attributes:
        threads: states of a block.
        offsets: first entry of each output in shared memory; None if it is stored directly.
        entries: numbers in shared memory.
    """

    threads: int
    offsets: tuple[int | None, ...]
    entries: int


def layout(program: Program, real: Real = "double") -> Layout:
    """Return how a program's outputs are stored: as many threads as fit."""
    for threads in THREADS:
        offsets: list[int | None] = []
        entries = 0
        for port in program.outputs:
            staged = port.size >= WIDE and entries + threads * _pitch(port.size) <= (
                SHARED // SIZES[real]
            )
            offsets.append(entries if staged else None)
            entries += threads * _pitch(port.size) if staged else 0
        if all(
            o is not None for o, p in zip(offsets, program.outputs, strict=True) if p.size >= WIDE
        ):
            break
    return Layout(threads, tuple(offsets), entries)


def _pitch(size: int) -> int:
    """Return the distance of rows in shared memory: odd, so that threads use different banks."""
    return size | 1


def kernel_source(
    program: Program,
    real: Real = "double",
    bounds: tuple[Sequence[float], Sequence[float]] | None = None,
) -> str:
    """Return the CUDA text of a program.

    Args:
        program: what to compute.
        real: type of all numbers.
        bounds: smallest and largest values of the first input; None: any finite number.
    """
    division = "quotient1({}, {})" if real == "double" else "{} / {}"
    body = _device(c_target.body_source(program, 1, c_target.Values(program, real, division)))
    return "\n".join([math_source(real), body, _kernel(program, real, bounds)])


def math_source(real: Real) -> str:
    """Return the elementary functions as device functions."""
    if real == "float":
        return FLOAT_MATH.read_text(encoding="utf-8")
    return DEVICE_MATH.read_text(encoding="utf-8") + _device(c_target.math_source(1))


def _device(text: str) -> str:
    """Return C text of one lane as CUDA text."""
    changes = {
        "static inline": "__device__ __forceinline__",
        "__builtin_memcpy": "memcpy",
        "(M1){0}": "M1(0)",
        " restrict ": " __restrict__ ",
        "*restrict": "*__restrict__",
    }
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def _kernel(
    program: Program, real: Real, bounds: tuple[Sequence[float], Sequence[float]] | None
) -> str:
    """Return the kernel: load, check, compute, store."""
    plan, blocks = layout(program, real), 8 if len(program.steps) < LONG else 6
    inputs, outputs = list(enumerate(program.inputs)), list(enumerate(program.outputs))
    arguments = ["long long rows"]
    arguments += [f"const {real} *__restrict__ x{p}, long long s{p}" for p, _ in inputs]
    arguments += [f"{real} *__restrict__ y{p}" for p, _ in outputs]
    arguments.append("unsigned long long *fault")
    lines = [
        "#ifndef EACH_THREAD",  # a host compiler defines it as a loop over the threads of a block
        "#define EACH_THREAD",
        "#endif",
        f'extern "C" __global__ void __launch_bounds__({plan.threads}, {blocks})',
        f"kernel({', '.join(arguments)}) {{",
        f"__shared__ {real} stage[{max(plan.entries, 1)}];",
        f"const long long first = (long long)blockIdx.x * {plan.threads};",
        "EACH_THREAD {",
        "const long long i = first + threadIdx.x;",
        "if (i < rows) {",
        *(_load(p, port.size, real) for p, port in inputs),
        _check(program, real, bounds),
        *(_place(p, port.size, plan, real) for p, port in outputs),
        f"body1({', '.join([f'a{p}' for p, _ in inputs] + [f'b{p}' for p, _ in outputs])});",
        *(_store(p, port.size, real) for p, port in outputs if plan.offsets[p] is None),
        "}",
        "}",
        "__syncthreads();",
        *(_store_staged(p, port.size, plan, real) for p, port in outputs),
        "}",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _load(p: int, size: int, real: Real) -> str:
    loads = " ".join(f"a{p}[{k}] = x{p}[i * s{p} + {k}];" for k in range(size))
    return f"{real} a{p}[{size}]; {loads}"


def _check(
    program: Program, real: Real, bounds: tuple[Sequence[float], Sequence[float]] | None
) -> str:
    """Return the test of all inputs; the first row beyond bounds or not finite goes to fault."""
    tests = []
    for p, port in enumerate(program.inputs):
        for k in range(port.size):
            low, high = (
                (float(side[k]) for side in bounds) if bounds and p == 0 else (-_MOST, _MOST)
            )
            ends = [literal(max(-_MOST, min(_MOST, end)), real) for end in (low, high)]
            tests.append(f"a{p}[{k}] >= {ends[0]} && a{p}[{k}] <= {ends[1]}")
    return f"if (fault && !({' && '.join(tests)})) atomicMin(fault, (unsigned long long)i);"


_MOST = 3.4028234663852886e38
"""Largest finite float32; larger inputs count as infinite in both number types."""


def _place(p: int, size: int, plan: Layout, real: Real) -> str:
    offset = plan.offsets[p]
    if offset is None:
        return f"{real} b{p}[{size}];"
    return f"{real} *b{p} = stage + {offset} + threadIdx.x * {_pitch(size)};"


def _store(p: int, size: int, real: Real) -> str:
    """Return the stores of a thread's row, two or four numbers at a time."""
    group = _group(size, real)
    lines = []
    for k in range(0, size, group):
        values = [f"b{p}[{k + n}]" for n in range(group)]
        lines.append(_stored(f"y{p} + i * {size} + {k}", values, real))
    return " ".join(lines)


def _store_staged(p: int, size: int, plan: Layout, real: Real) -> str:
    """Return the contiguous stores of a block's rows, two or four numbers at a time."""
    offset = plan.offsets[p]
    if offset is None:
        return ""
    group = _group(size, real)
    source = f"stage[{offset} + k / {size} * {_pitch(size)} + k % {size}"
    values = [f"{source} + {n}]" for n in range(group)]
    return (
        "EACH_THREAD {\n"
        f"const int count = (int)((rows - first < {plan.threads} ? rows - first : "
        f"{plan.threads}) * {size});\n"
        f"for (int k = (int)threadIdx.x * {group}; k < count; k += {plan.threads * group})\n"
        f"{_stored(f'y{p} + first * {size} + k', values, real)}\n"
        "}"
    )


def _group(size: int, real: Real) -> int:
    """Return how many numbers one store writes: 16 bytes where rows allow it."""
    return next(n for n in ((2, 1) if real == "double" else (4, 2, 1)) if size % n == 0)


def _stored(place: str, values: list[str], real: Real) -> str:
    """Return one store of neighbouring numbers that does not displace inputs from the caches."""
    if len(values) == 1:
        return f"__stcs({place}, {values[0]});"
    name = f"{real}{len(values)}"
    return f"__stcs(({name} *)({place}), make_{name}({', '.join(values)}));"
