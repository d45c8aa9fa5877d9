"""A program on a GPU: CUDA text compiled by NVRTC, compared with NumPy before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armtwin.compile.gpu.array_library import cupy
from armtwin.compile.native import cache, self_check
from armtwin.compile.native.random_states import Bounds
from armtwin.compile.program import Program
from armtwin.compile.targets import cuda as cuda_target
from armtwin.errors import CompileError
from armtwin.spatial import Array

OPTIONS = ("--std=c++17",)
NO_FAULT = 2**64 - 1
"""Fault word of a batch without a bad row."""
LIMIT_ROUNDING: dict[cuda_target.Real, float] = {"double": 1e-9, "float": 1e-6}
"""Excess beyond a bound of the first input that counts as rounding [rad | m]."""
FLOAT_TOLERANCE = 1e-3
"""Largest relative difference of float32 results from NumPy's; wrong code differs by far more."""


class DeviceKernel:
    """A program compiled for the current device.

    Args:
        program: what to compute.
        real: type of all numbers.
        bounds: smallest and largest values of the first input.

    Raises:
        CompileError: NVRTC rejects the text, or the code computes wrong numbers.
    """

    def __init__(self, program: Program, real: cuda_target.Real, bounds: Bounds) -> None:
        self.program, self.real = program, real
        self._threads = cuda_target.layout(program, real).threads
        room = LIMIT_ROUNDING[real]
        lower, upper = ([x - room for x in bounds[0]], [x + room for x in bounds[1]])
        text = cuda_target.kernel_source(program, real, (lower, upper))
        try:
            module = cupy().RawModule(code=text, options=OPTIONS)
            self._function = module.get_function("kernel")
        except cupy().cuda.compiler.CompileException as error:
            raise CompileError(f"NVRTC rejects {program.name}: {error}") from error
        self._prove(text, bounds)

    def launch(
        self,
        rows: int,
        inputs: Sequence[tuple[int, int, Any]],
        outputs: Sequence[int],
        fault: Any | None,
    ) -> None:
        """Start the kernel on the current stream.

        Args:
            rows: number of states.
            inputs: address and distance of rows [numbers] per input; the rest is ignored.
            outputs: address of rows without gaps per output.
            fault: a CuPy array of one uint64 for the first bad row; None to check nothing.
        """
        if not rows:
            return
        words: list[Any] = [np.int64(rows)]
        for address, distance, *_ in inputs:
            words += [np.uint64(address), np.int64(distance)]
        words += map(np.uint64, outputs)
        words.append(np.uint64(0) if fault is None else fault)
        self._function((-(-rows // self._threads),), (self._threads,), tuple(words))

    def _prove(self, text: str, bounds: Bounds) -> None:
        """Compare the code with the NumPy target; the verdict is cached for this GPU."""
        device = cupy().cuda.Device()
        name = cupy().cuda.runtime.getDeviceProperties(device.id)["name"].decode()
        version = str(cupy().cuda.nvrtc.getVersion())
        key = f"{self.program.name}-{cache.digest(text, name, version)}.proof"
        if cache.read_text(key) == "right":
            return
        expected = self_check.expectation(self.program, bounds)
        if self.real == "float":
            limits = [
                np.maximum(b, FLOAT_TOLERANCE * np.maximum(1.0, np.abs(v).max(initial=0.0)))
                for b, v in zip(expected.bounds, expected.values, strict=True)
            ]
            expected = self_check.Expectation(expected.inputs, expected.values, limits)
        wrong = self_check.difference(self.program, expected, self._run_numpy)
        if wrong is not None:
            raise CompileError(f"{name} computes wrong numbers: {wrong}; use NumPy arrays instead")
        cache.write_text(key, "right")

    def _run_numpy(self, inputs: list[Array]) -> list[Array]:
        kind = np.float64 if self.real == "double" else np.float32
        arrays = [cupy().asarray(x, dtype=kind) for x in inputs]
        rows = len(inputs[0])
        outputs = [cupy().full((rows, port.size), np.nan, kind) for port in self.program.outputs]
        places = [(x.data.ptr, x.shape[1], x) for x in arrays]
        self.launch(rows, places, [y.data.ptr for y in outputs], None)
        return [np.asarray(cupy().asnumpy(y), dtype=np.float64) for y in outputs]
