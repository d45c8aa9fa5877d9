"""Device that computes samples: all cores of the processor with NumPy, or a GPU with CuPy.

Both have the same array functions; equations run as compiled C or as CUDA kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from armtwin.compile.gpu.array_libraries import common_library
from armtwin.compile.gpu.array_library import cupy
from armtwin.compile.gpu.launch import run_on_gpu
from armtwin.compile.kernel import kernel
from armtwin.equations.equation import Build
from armtwin.errors import InputError
from armtwin.extras import installed
from armtwin.model.arm import Arm
from armtwin.spatial import Array

DeviceName = Literal["auto", "cpu", "gpu"]
WORTH_A_GPU = 5_000_000
"""States from which "auto" takes a GPU: importing CuPy and compiling take 1 to 3 s."""
Run = Callable[..., Sequence[Any]]


class Device(ABC):
    """A processor with its arrays.

    Attributes:
        name: "cpu" or "gpu".
        rows: states of a chunk: enough to keep the device busy, little enough for its memory.
        xp: the array module, NumPy or CuPy.
        add_at: ``add_at(x, places, values)`` adds values at places of x, which may repeat.
        maximum_at: the same, raises x at places to values.
    """

    name: str
    rows: int
    xp: Any
    add_at: Callable[..., None]
    maximum_at: Callable[..., None]

    @abstractmethod
    def bind(
        self, arm: Arm, equation: Build, constants: Sequence[Array], rows: int | None = None
    ) -> Run:
        """Return ``run(*inputs)`` of an equation whose last inputs are the same for all states.

        ``run`` takes arrays (n, size) and returns arrays (n, size), which the next call may
        overwrite.

        Args:
            arm: the arm.
            equation: a function of ``armtwin.equations``.
            constants: the last inputs, (size,) each.
            rows: largest n; None for the device's own.
        """

    @abstractmethod
    def host(self, x: Any) -> Array:
        """Return an array as a NumPy array."""


class Processor(Device):
    """The processor, all cores."""

    name, rows, xp = "cpu", 1 << 17, np
    add_at, maximum_at = np.add.at, np.maximum.at

    def bind(
        self, arm: Arm, equation: Build, constants: Sequence[Array], rows: int | None = None
    ) -> Run:
        """Return ``run(*inputs)`` of an equation whose last inputs are the same for all states.

        Args:
            arm: the arm.
            equation: a function of ``armtwin.equations``.
            constants: the last inputs, (size,) each.
            rows: largest number of states; None for the device's own.
        """
        compiled = kernel(arm, equation)
        ports = compiled.program.outputs
        most = self.rows if rows is None else rows
        same = [np.tile(np.asarray(x, float), (most, 1)) for x in constants]
        outputs = [np.empty((most, port.size)) for port in ports]

        def run(*inputs: Array) -> list[Array]:
            n = len(inputs[0])
            given = [np.ascontiguousarray(x) for x in inputs]
            results = [y[:n] for y in outputs]
            compiled.run([*given, *[x[:n] for x in same]], results)
            return results

        return run

    def host(self, x: Any) -> Array:
        """Return an array as a NumPy array."""
        return np.asarray(x)


class Gpu(Device):
    """The current GPU of CuPy."""

    name, rows = "gpu", 1 << 22

    def __init__(self) -> None:
        self.xp = cupy()
        import cupyx

        self.add_at, self.maximum_at = cupyx.scatter_add, cupyx.scatter_max

    def bind(
        self, arm: Arm, equation: Build, constants: Sequence[Array], rows: int | None = None
    ) -> Run:
        """Return ``run(*inputs)`` of an equation whose last inputs are the same for all states.

        Args:
            arm: the arm.
            equation: a function of ``armtwin.equations``.
            constants: the last inputs, (size,) each.
            rows: largest number of states; None for the device's own.
        """
        same = [self.xp.asarray(x, dtype=np.float64) for x in constants]
        library = common_library(same)
        assert library is not None

        def run(*inputs: Any) -> list[Any]:
            n = len(inputs[0])
            found = run_on_gpu(arm, equation, [*inputs, *same], library, explain=None)
            return [y.reshape(n, -1) for y in found]

        return run

    def host(self, x: Any) -> Array:
        """Return an array as a NumPy array."""
        return np.asarray(self.xp.asnumpy(x))


def choose(name: str, states: int) -> Device:
    """Return the device for a number of states.

    Args:
        name: "cpu", "gpu", or "auto": a GPU where there is one and the work is worth it.
        states: how many states will be computed.

    Raises:
        InputError: another name, or no GPU.
        MissingDataError: "gpu" without CuPy.
    """
    if name not in get_args(DeviceName):
        raise InputError(f"no device {name!r}; there are {', '.join(get_args(DeviceName))}")
    wanted = name == "gpu" or (name == "auto" and states >= WORTH_A_GPU and installed("cupy"))
    if not wanted:
        return Processor()
    if _gpu_count():
        return Gpu()
    if name == "gpu":
        raise InputError("there is no GPU that CuPy can use; take the processor (device='cpu')")
    return Processor()


def _gpu_count() -> int:
    module = cupy()
    try:
        return int(module.cuda.runtime.getDeviceCount())
    except module.cuda.runtime.CUDARuntimeError:
        return 0
