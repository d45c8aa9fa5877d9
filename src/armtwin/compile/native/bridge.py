"""The extension module of bridge.c: compiled code for one state without the cost of ctypes."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.compile.native import toolchain
from armtwin.compile.native.verdicts import CODE_IS_WRONG, warn_once
from armtwin.errors import CompileError
from armtwin.spatial import Array

MAX_PORTS, WIDEST_PORT = 16, 64
"""Capacity of bridge.c for inputs, outputs and the bounds of the first input."""
CHECKED_ROWS = 11
"""Rows of the check of ``inside``: whole blocks of bridge.c and a remainder."""


@functools.cache
def load_bridge() -> Any:
    """Return the extension module that runs one state, or None if it cannot be built or is wrong.

    Its functions that call kernels are checked together with these; ``inside`` is checked here.
    """
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
    if module is None:
        return None
    module.setup(np.ndarray, np.dtype(np.float64), np.empty)
    fault = _fault_of_inside(module)
    if fault is not None:
        warn_once(CODE_IS_WRONG, fault)
        return None
    return module


def bridge_identity() -> str:
    """Return what single-state calls depend on besides a kernel: bridge.c's library and Python."""
    bridge = load_bridge()
    library = "" if bridge is None else Path(bridge.__spec__.origin).stem
    return f"{library} {sys.version} NumPy {np.__version__}"


def inside(x: Array, width: int, lower: Array | None = None, upper: Array | None = None) -> bool:
    """Return True if every row of ``x`` is finite, within bounds and within +-1e6.

    False is inconclusive: check in NumPy (also without compiled code).

    Args:
        x: rows of numbers (..., width).
        width: length of a row.
        lower: smallest values allowed (width,); None for no bound.
        upper: largest values allowed (width,); None for no bound.
    """
    bridge = None if toolchain.numpy_requested() else load_bridge()
    return bridge is not None and bridge.inside(x, width, lower, upper)


def _fault_of_inside(bridge: Any) -> str | None:
    """Return how ``inside`` judges rows wrongly, or None: good ones, and one bad entry each."""
    for width in (1, 6, 7):
        lower, upper = -1.0 - np.arange(width), 2.0 + np.arange(width)
        good = np.tile(0.5 * (lower + upper), (CHECKED_ROWS, 1))
        if not bridge.inside(good, width, lower, upper) or not bridge.inside(
            good, width, None, None
        ):
            return "bridge.c: inside rejects rows within their bounds"
        for entry in range(good.size):
            bad = (np.nan, upper[entry % width] + 1e-9, lower[entry % width] - 1e-9, -np.inf)
            rows = good.copy()
            rows.flat[entry] = bad[entry % len(bad)]
            if bridge.inside(rows, width, lower, upper):
                return f"bridge.c: inside accepts {rows.flat[entry]:g} beyond its bound"
        good[-1, -1] = 2e6
        if bridge.inside(good, width, None, None):
            return "bridge.c: inside accepts 2e6"
    return None
