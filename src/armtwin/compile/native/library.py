"""Compiled kernels: a program's C code loaded into this process."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.compile.native import self_check as proof
from armtwin.compile.native import toolchain
from armtwin.compile.native.bridge import MAX_PORTS, WIDEST_PORT, bridge_identity, load_bridge
from armtwin.compile.native.random_states import Bounds
from armtwin.compile.native.verdicts import (
    CAREFUL,
    CODE_IS_WRONG,
    NUMPY_SERVES,
    kept_verdict,
    warn_once,
)
from armtwin.compile.outputs import aligned_array
from armtwin.compile.program import Program
from armtwin.compile.targets import c as c_target
from armtwin.compile.threads import UNIT, run_parts
from armtwin.errors import CompileError
from armtwin.files import cache_folder
from armtwin.spatial import Array

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


def circumstances() -> tuple[str, ...]:
    """Return what compiled code depends on besides its program: cache, compiler, processor."""
    compiler = toolchain.find_compiler()
    target = "numpy" if toolchain.numpy_requested() else compiler.identity if compiler else ""
    lanes = os.environ.get("ARMTWIN_LANES", "")
    return target, lanes, str(cache_folder()), toolchain.processor()


def native(program: Program, bounds: Bounds) -> Native | None:
    """Return a program's compiled code after comparing it with the NumPy target.

    If the code is wrong, slower variants are tried. Returns None, with one warning, if no variant
    can be built or passes. ``ARMTWIN_TARGET=numpy`` selects the NumPy target without a warning.
    """
    if toolchain.numpy_requested():
        return None
    wrong: list[str] = []
    for variant in variants():
        try:
            found = Native(program, bounds, variant)
        except CompileError as error:
            wrong.append(str(error))
            break
        except (AttributeError, OSError) as error:  # a file that is no library of this function
            wrong.append(f"{program.name}: {error}")
            continue
        fault = _fault(found, program, bounds)
        if fault is None:
            if wrong:
                warn_once(CODE_IS_WRONG, f"{variant}; {wrong[0]}")
            return found
        wrong.append(fault)
    warn_once(NUMPY_SERVES, wrong[0])
    return None


def _fault(found: Native, program: Program, bounds: Bounds) -> str | None:
    """Return what is wrong with a library, or None.

    Single states go through bridge.c: the verdict holds for one build of it, too.
    """

    def check() -> str | None:
        expected = proof.expectation(program, bounds)
        for run in (found.by_batch, found.by_state, found.by_stream):
            fault = proof.difference(program, expected, functools.partial(run, program))
            if fault is not None:
                return fault
        return None

    return kept_verdict(found.path, (found.source, bridge_identity()), check)
