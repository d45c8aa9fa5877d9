"""Compiled kernels: a program's C code loaded into this process."""

from __future__ import annotations

import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.compile.native import cache, toolchain
from armtwin.compile.native import self_check as proof
from armtwin.compile.native.self_check import Bounds
from armtwin.compile.outputs import aligned_array
from armtwin.compile.program import Program
from armtwin.compile.targets import c as c_target
from armtwin.compile.threads import UNIT, run_parts
from armtwin.errors import CompileError, CompileWarning
from armtwin.files import cache_folder
from armtwin.spatial import Array

CAREFUL = ("-O1", "-fno-gcse")
"""Flags to retry with when the self-check rejects the code of the default ones."""
PROOF = "2"
"""Version of the self-check; results of another version are ignored."""
MAX_PORTS, WIDEST_PORT = 16, 64
"""Capacity of bridge.c for inputs, outputs and the bounds of the first input."""

Single = Callable[..., tuple[Array, ...] | None]


@dataclass(frozen=True)
class Variant:
    """Number of SIMD lanes and extra compiler flags."""

    lanes: int
    flags: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return a description for messages."""
        return " ".join((f"{self.lanes} lanes", *self.flags))


def variants() -> list[Variant]:
    """Return the variants to try, fastest first: careful flags, then fewer lanes."""
    lanes = toolchain.lanes()
    careful = [Variant(count, CAREFUL) for count in (lanes, 4, 1) if count <= lanes]
    return [Variant(lanes), *dict.fromkeys(careful)]


class Native:
    """A program's machine code, for one state and for batches."""

    def __init__(self, program: Program, bounds: Bounds, variant: Variant) -> None:
        self.source = c_target.function_source(program, variant.lanes)
        self.path = toolchain.shared_library(self.source, name=program.name, extra=variant.flags)
        self._library = ctypes.CDLL(str(self.path))
        self._call = self._library.kernel
        self._call.restype = None
        self.single = self._single(program, bounds)

    @property
    def address(self) -> int:
        """Address of the function over rows; valid while this object exists."""
        return ctypes.cast(self._call, ctypes.c_void_p).value or 0

    def _single(self, program: Program, bounds: Bounds) -> Single | None:
        """Return the function for one state, or None if the bridge does not support it."""
        bridge = load_bridge()
        ports = max(len(program.inputs), len(program.outputs))
        if bridge is None or ports > MAX_PORTS or len(bounds[0]) > WIDEST_PORT:
            return None
        sizes = tuple(port.size for port in program.inputs)
        shapes = tuple(port.shape for port in program.outputs)
        single: Single = bridge.single(self.address, sizes, shapes, *map(tuple, bounds), 0)
        return single

    def run(self, inputs: list[Array], outputs: list[Array], parts: int = 1) -> None:
        """Fill C-contiguous 2-D ``outputs`` from ``inputs``, one row per state.

        Args:
            inputs: one array (rows, size) per input of the program.
            outputs: one array (rows, size) per output, to be filled.
            parts: in how many parts the rows are divided, one per thread.
        """
        rows = len(outputs[0])

        def run(start: int, stop: int) -> None:
            self._part(inputs, outputs, start, stop)
            if stop < rows:
                self._seam(inputs, outputs, stop)

        run_parts(run, rows, parts)

    def _seam(self, inputs: list[Array], outputs: list[Array], cut: int) -> None:
        """Compute the last rows before a cut again, in SIMD lanes as without the cut.

        The last rows of a part are computed one by one. A compiler may fuse other products there
        (gcc does, in ``body_jacobian`` of a UR10e for a single row): the last bit of a result would
        depend on the number of threads.
        """
        near = [x[cut - UNIT : cut + UNIT] for x in inputs]
        again = [np.empty((2 * UNIT, y.shape[1])) for y in outputs]
        self._part(near, again, 0, 2 * UNIT)
        for y, values in zip(outputs, again, strict=True):
            y[cut - UNIT : cut] = values[:UNIT]

    def _part(self, inputs: list[Array], outputs: list[Array], start: int, stop: int) -> None:
        x, y = (addresses(group, start) for group in (inputs, outputs))
        self._call(ctypes.c_long(stop - start), x, y)

    def by_batch(self, program: Program, inputs: list[Array]) -> list[Array]:
        """Return the outputs of all states in one call."""
        outputs = [np.full((len(inputs[0]), port.size), np.nan) for port in program.outputs]
        self._part(inputs, outputs, 0, len(inputs[0]))
        return outputs

    def by_state(self, program: Program, inputs: list[Array]) -> list[Array]:
        """Return the outputs of all states, computed one by one."""
        outputs = [np.full((len(inputs[0]), port.size), np.nan) for port in program.outputs]
        for row in range(len(inputs[0])):
            ready = self.single(*[x[row] for x in inputs]) if self.single else None
            if ready is None:
                self._part(inputs, outputs, row, row + 1)
                continue
            for y, result in zip(outputs, ready, strict=True):
                y[row] = result.ravel()
        return outputs

    def by_stream(self, program: Program, inputs: list[Array]) -> list[Array]:
        """Return the outputs of a batch written with streaming stores, as large ones are."""
        rows = len(inputs[0])
        outputs = [aligned_array((rows, port.size)) for port in program.outputs]
        streaming = getattr(self._library, "kernel_stream", None)
        done = 0
        if streaming is not None:
            streaming.restype = ctypes.c_long
            done = streaming(ctypes.c_long(rows), *(addresses(g, 0) for g in (inputs, outputs)))
        self._part(inputs, outputs, done, rows)
        return outputs


def addresses(arrays: list[Array], start: int) -> Any:
    """Return the addresses of C-contiguous arrays from a row on, as kernels take them."""
    places = [array.__array_interface__["data"][0] + start * array.strides[0] for array in arrays]
    return (ctypes.c_void_p * len(places))(*places)


@functools.cache
def load_bridge() -> Any:
    """Return the extension module that runs one state, or None if it cannot be built."""
    if sys.platform == "win32" or sys.implementation.name != "cpython":
        return None
    if sys.abiflags.startswith("t") or hasattr(sys, "getobjects"):
        return None  # other object layout (free threading, traced references)
    source = Path(__file__).with_name("bridge.c").read_text(encoding="utf-8")
    try:
        path = toolchain.shared_library(source, name="bridge")
        loader = importlib.machinery.ExtensionFileLoader("armtwin_bridge", str(path))
        spec = importlib.util.spec_from_file_location("armtwin_bridge", path, loader=loader)
        module = importlib.util.module_from_spec(spec) if spec else None
    except (CompileError, ImportError):
        return None
    if module is not None:
        module.setup(np.ndarray, np.dtype(np.float64), np.empty)
    return module


def inside(x: Array, width: int, lower: Array | None = None, upper: Array | None = None) -> bool:
    """Return True if every row of ``x`` is finite, within bounds and within +-1e6.

    False is inconclusive: check in NumPy (also without compiled code).

    Args:
        x: rows of numbers (..., width).
        width: length of a row.
        lower: smallest values allowed (width,); None for no bound.
        upper: largest values allowed (width,); None for no bound.
    """
    bridge = None if numpy_requested() else load_bridge()
    return bridge is not None and bridge.inside(x, width, lower, upper)


def numpy_requested() -> bool:
    """Return whether the environment selects the NumPy target."""
    return os.environ.get("ARMTWIN_TARGET", "c") == "numpy"


def circumstances() -> tuple[str, ...]:
    """Return what compiled code depends on besides its program: cache, compiler, processor."""
    compiler = toolchain.find_compiler()
    target = "numpy" if numpy_requested() else compiler.identity if compiler else ""
    lanes = os.environ.get("ARMTWIN_LANES", "")
    return target, lanes, str(cache_folder()), toolchain.processor()


_WARNED: list[str] = []
NUMPY_SERVES = "running the slower NumPy target instead of compiled code"
CODE_IS_WRONG = "the C compiler's code computes wrong numbers and is not used; running slower code"


def _warn_once(what: str, reason: str) -> None:
    """Warn once in a process; later kernels have the same problem."""
    if what not in _WARNED:
        _WARNED.append(what)
        warnings.warn(f"{what}: {reason}", CompileWarning, stacklevel=5)


def native(program: Program, bounds: Bounds) -> Native | None:
    """Return a program's compiled code after comparing it with the NumPy target.

    If the code is wrong, slower variants are tried. Returns None, with one warning, if no variant
    can be built or passes. ``ARMTWIN_TARGET=numpy`` selects the NumPy target without a warning.
    """
    if numpy_requested():
        return None
    wrong: list[str] = []
    try:
        for variant in variants():
            found = Native(program, bounds, variant)
            fault = _fault(found, program, bounds)
            if fault is None:
                if wrong:
                    _warn_once(CODE_IS_WRONG, f"{variant}; {wrong[0]}")
                return found
            wrong.append(fault)
    except (CompileError, OSError) as error:
        wrong.append(str(error))
    _warn_once(NUMPY_SERVES, wrong[0])
    return None


def _fault(found: Native, program: Program, bounds: Bounds) -> str | None:
    """Return what is wrong with a library, or None; the result is cached beside it.

    It holds for the library's content, its source and this processor.
    """
    key = cache.digest(PROOF, found.path.stem, found.source, toolchain.processor())
    name = f"{found.path.stem[:32]}-{key}.proof"
    verdict = cache.read_text(name)
    if verdict is not None and verdict.startswith(("right", "wrong")):
        return None if verdict.startswith("right") else verdict.removeprefix("wrong: ")
    expected = proof.expectation(program, bounds)
    for run in (found.by_batch, found.by_state, found.by_stream):
        fault = proof.difference(program, expected, functools.partial(run, program))
        if fault is not None:
            break
    cache.write_text(name, "right" if fault is None else f"wrong: {fault}")
    return fault
