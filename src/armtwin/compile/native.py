"""Compiled kernels: a program's C code loaded into this process."""

from __future__ import annotations

import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.compile import c_target, toolchain
from armtwin.compile.program import Program
from armtwin.errors import CompileError, CompileWarning
from armtwin.spatial import Array

LEAST_ROWS_A_THREAD = 2048
MOST_PORTS, WIDEST_PORT = 16, 64
"""The room that bridge.c has for inputs, outputs and the bounds of the first input."""

Single = Callable[..., tuple[Array, ...] | None]


class Native:
    """A program's machine code, for one state and for batches."""

    def __init__(self, program: Program, bounds: tuple[Sequence[float], Sequence[float]]) -> None:
        source = c_target.function_source(program, toolchain.lanes())
        self.path = toolchain.shared_library(source, name=program.name)
        self._library = ctypes.CDLL(str(self.path))
        self._call = self._library.kernel
        self._call.restype = None
        self.single = self._single(program, bounds)

    def _single(
        self, program: Program, bounds: tuple[Sequence[float], Sequence[float]]
    ) -> Single | None:
        """Return the way for one state, or None where there is no bridge that takes it."""
        bridge = _bridge()
        ports = max(len(program.inputs), len(program.outputs))
        if bridge is None or ports > MOST_PORTS or len(bounds[0]) > WIDEST_PORT:
            return None
        address = ctypes.cast(self._call, ctypes.c_void_p).value
        sizes = tuple(port.size for port in program.inputs)
        shapes = tuple(port.shape for port in program.outputs)
        single: Single = bridge.single(address, sizes, shapes, *map(tuple, bounds))
        return single

    def run(self, inputs: list[Array], outputs: list[Array], threads: int = 1) -> None:
        """Fill C-contiguous 2-D ``outputs`` from ``inputs``, one row per state."""
        rows = len(outputs[0])
        parts = max(1, min(threads, rows // LEAST_ROWS_A_THREAD))
        if parts == 1:
            self._part(inputs, outputs, 0, rows)
            return
        cuts = [rows * k // parts for k in range(parts + 1)]
        with ThreadPoolExecutor(parts) as pool:
            jobs = [
                pool.submit(self._part, inputs, outputs, a, b)
                for a, b in zip(cuts, cuts[1:], strict=False)
            ]
            for job in jobs:
                job.result()

    def _part(self, inputs: list[Array], outputs: list[Array], start: int, stop: int) -> None:
        x, y = (_addresses(group, start) for group in (inputs, outputs))
        self._call(ctypes.c_long(stop - start), x, y)


def _addresses(arrays: list[Array], start: int) -> Any:
    places = [array.__array_interface__["data"][0] + start * array.strides[0] for array in arrays]
    return (ctypes.c_void_p * len(places))(*places)


@functools.cache
def _bridge() -> Any:
    """Return the module that runs one state quickly, or None where it cannot be had."""
    if sys.platform == "win32" or sys.implementation.name != "cpython":
        return None
    if sys.abiflags.startswith("t") or hasattr(sys, "getobjects"):
        return None  # objects are laid out otherwise (free threading, traced references)
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
    """Return True when every row of ``x`` is surely finite, within bounds and within +-1e6.

    False means: look closer (or no compiled code to look with).
    """
    bridge = None if _asked_for_numpy() else _bridge()
    return bridge is not None and bridge.inside(x, width, lower, upper)


def _asked_for_numpy() -> bool:
    return os.environ.get("ARMTWIN_TARGET", "c") == "numpy"


_TOLD: list[str] = []


def _warn_once(reason: str) -> None:
    """Warn on the first kernel of a process that cannot be compiled; the others share its fate."""
    if not _TOLD:
        message = f"running the slower NumPy target instead of compiled code: {reason}"
        warnings.warn(message, CompileWarning, stacklevel=5)
    _TOLD.append(reason)


def native(program: Program, bounds: tuple[Sequence[float], Sequence[float]]) -> Native | None:
    """Return a program's compiled kernel; None, with one warning, where it cannot be built.

    ``ARMTWIN_TARGET=numpy`` asks for the NumPy target without a warning.
    """
    if _asked_for_numpy():
        return None
    try:
        return Native(program, bounds)
    except (CompileError, OSError) as error:
        _warn_once(str(error))
        return None
