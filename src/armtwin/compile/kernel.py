"""Kernels: an arm's equation made ready to run on one state or any batch."""

from __future__ import annotations

import functools
import importlib
import json

import numpy as np

from armtwin.compile import cache, numpy_target
from armtwin.compile.program import Program
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array


class Kernel:
    """A callable over arrays ``(..., size)`` per input, returning ``(..., *shape)`` per output."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._single = numpy_target.single_function(program)
        self._batch: numpy_target.Batch | None = None

    def __call__(self, *inputs: Array) -> tuple[Array, ...]:
        """Run on one state or a batch; leading dimensions of the inputs are broadcast."""
        ports = self.program.inputs
        for port, x in zip(ports, inputs, strict=True):
            if x.shape[-1:] != port.shape:
                raise InputError(
                    f"{self.program.name}: {port.name} has shape {x.shape}; "
                    f"expected (..., {port.size})"
                )
        lead = np.broadcast_shapes(*[x.shape[:-1] for x in inputs])
        if not lead:
            return self._one(inputs)
        flat = [self._rows(x, lead) for x in inputs]
        outputs = [np.empty((len(flat[0]), port.size)) for port in self.program.outputs]
        self.run(flat, outputs)
        shapes = [lead + port.shape for port in self.program.outputs]
        return tuple(y.reshape(shape) for y, shape in zip(outputs, shapes, strict=True))

    def run(self, inputs: list[Array], outputs: list[Array]) -> None:
        """Fill 2-D ``outputs`` from 2-D ``inputs``, one row per state."""
        if self._batch is None:
            self._batch = numpy_target.batch_function(self.program)
        if len(outputs[0]):
            self._batch(inputs, outputs)

    def _one(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        values = self._single(*[v for x in inputs for v in x.tolist()])
        result, start = [], 0
        for port in self.program.outputs:
            part = np.array(values[start : start + port.size])
            result.append(part.reshape(port.shape))
            start += port.size
        return tuple(result)

    @staticmethod
    def _rows(x: Array, lead: tuple[int, ...]) -> Array:
        return np.broadcast_to(x, lead + x.shape[-1:]).reshape(-1, x.shape[-1])


def program_for(arm: Arm | None, equation: str) -> Program:
    """Return the program of ``equation`` (``"module.function"`` in equations) for an arm.

    It is kept in the cache by the arm's numbers and the equations' source, so that later starts
    need neither CasADi nor the derivation.
    """
    key = cache.digest(cache.source_digest(), arm.fingerprint if arm else "", equation)
    name = f"program-{equation}-{key}.json"
    text = cache.read_text(name)
    if text is not None:
        try:
            return Program.from_json(text)
        except (json.JSONDecodeError, ValueError, TypeError, KeyError):
            pass  # cut short or foreign: derive it again
    module, function = equation.rsplit(".", 1)
    build = getattr(importlib.import_module(f"armtwin.equations.{module}"), function)
    program = Program.from_listing((build(arm) if arm else build()).listing())
    cache.write_text(name, program.to_json())
    return program


@functools.lru_cache(maxsize=256)
def kernel(arm: Arm | None, equation: str) -> Kernel:
    """Return the kernel of an equation for an arm, made once per process."""
    return Kernel(program_for(arm, equation))
