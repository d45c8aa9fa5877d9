r"""NumPy source of a program over batches.

NumPy's float64 sine and cosine are not vectorised but its tangent is, so a sine and cosine of the
same angle x become one ``t = tan(x/2)``:

.. math:: \sin x = \frac{2t}{1+t^2}, \qquad \cos x = \frac{1-t^2}{1+t^2}

At x near pi, t is at most 1.6e16 and both fractions stay exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from armtwin.compile.program import Program
from armtwin.compile.threads import run_parts

CHUNK = 8192
"""Rows per pass: the work buffers of a pass stay in the cache."""

UFUNCS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative",
    "sq": "square", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin",
    "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "tanh": "tanh", "exp": "exp",
    "fabs": "absolute", "sign": "sign", "copysign": "copysign", "fmin": "minimum",
    "fmax": "maximum", "floor": "floor", "lt": "less", "le": "less_equal", "eq": "equal",
    "ne": "not_equal", "not": "logical_not", "and": "logical_and", "or": "logical_or",
}  # fmt: skip

Batch = Callable[..., None]


def batch_function(program: Program) -> Batch:
    """Return ``run(inputs, outputs, parts)`` over 2-D arrays, one row per state, in place."""
    lines, buffers = _batch_lines(program)
    names = [f"x{i}" for i in range(len(program.inputs))]
    names += [f"y{i}" for i in range(len(program.outputs))]
    source = f"def chunk({', '.join([*names, 'w'])}):\n    " + "\n    ".join(lines)
    space: dict[str, Any] = {"np": np, "inf": np.inf, "nan": np.nan}
    space |= {name: getattr(np, name) for name in UFUNCS.values()}
    exec(compile(source, f"<{program.name}>", "exec"), space)
    chunk = space["chunk"]

    def run(inputs: list[np.ndarray], outputs: list[np.ndarray], parts: int = 1) -> None:
        def run_part(first: int, stop: int) -> None:
            work = np.empty((buffers, min(stop - first, CHUNK)))
            with np.errstate(all="ignore"):
                for start in range(first, stop, CHUNK):
                    part = slice(start, min(start + CHUNK, stop))
                    w = work[:, : part.stop - start]
                    chunk(*[x[part].T for x in inputs], *[y[part].T for y in outputs], w)

        run_parts(run_part, len(outputs[0]), parts, unit=CHUNK)

    return run


def _batch_lines(program: Program) -> tuple[list[str], int]:
    """Return the lines of the chunk function and how many work buffers they need."""
    writer = _BatchWriter(program)
    for k, step in enumerate(program.steps):
        writer.step(k, *step)
    for port, values in enumerate(program.results):
        for index, value in enumerate(values):
            writer.lines.append(f"y{port}[{index}] = {writer.place[value]}")
    return writer.lines, writer.buffers


class _BatchWriter:
    """Writes one in-place NumPy call per step, reusing buffers whose value is no longer needed."""

    def __init__(self, program: Program) -> None:
        self.last = program.last_uses()
        self.place: dict[int, str] = {}
        self.lines: list[str] = []
        self.free: list[int] = []
        self.buffers = 0
        angles = [{s[1] for s in program.steps if s[0] == name} for name in ("sin", "cos")]
        self.paired = angles[0] & angles[1]
        self.partner = {(s[0], s[1]): k for k, s in enumerate(program.steps) if len(s) == 2}
        self.done: set[int] = set()

    def step(self, k: int, operation: str, *operands: Any) -> None:
        """Write the lines that compute value ``k``."""
        if operation == "const":
            self.place[k] = repr(float(operands[0]))
        elif operation == "input":
            self.place[k] = f"x{operands[0]}[{operands[1]}]"
        elif operation in ("sin", "cos") and operands[0] in self.paired:
            if k not in self.done:
                self._sine_and_cosine(operands[0])
            self._release(k, *operands)
        else:
            target = self._take()
            self._call(operation, [self.place[v] for v in operands], target)
            self.place[k] = f"w[{target}]"
            self._release(k, *operands)

    def _call(self, operation: str, operands: list[str], target: int) -> None:
        if operation == "if_else_zero":
            line = f"w[{target}] = np.where({operands[0]}, {operands[1]}, 0.0)"
        elif operation == "twice":
            line = f"add({operands[0]}, {operands[0]}, w[{target}])"
        elif operation == "inv":
            line = f"divide(1.0, {operands[0]}, w[{target}])"
        else:
            line = f"{UFUNCS[operation]}({', '.join(operands)}, out=w[{target}])"
        self.lines.append(line)

    def _sine_and_cosine(self, angle: int) -> None:
        sine, cosine = self.partner["sin", angle], self.partner["cos", angle]
        s, c, scratch = self._take(), self._take(), self._take()
        self.lines += [
            f"multiply({self.place[angle]}, 0.5, w[{s}])",
            f"tan(w[{s}], w[{s}])",
            f"square(w[{s}], w[{scratch}])",
            f"add(w[{scratch}], 1.0, w[{c}])",
            f"divide(2.0, w[{c}], w[{c}])",
            f"multiply(w[{s}], w[{c}], w[{s}])",
            f"subtract(w[{c}], 1.0, w[{c}])",
        ]
        self.free.append(scratch)
        self.place[sine], self.place[cosine] = f"w[{s}]", f"w[{c}]"
        self.done.update((sine, cosine))

    def _take(self) -> int:
        if self.free:
            return self.free.pop()
        self.buffers += 1
        return self.buffers - 1

    def _release(self, k: int, *operands: int) -> None:
        for value in {*operands, k}:
            place = self.place[value]
            if place.startswith("w[") and self.last[value] <= k:
                self.free.append(int(place[2:-1]))
