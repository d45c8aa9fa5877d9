"""The loops of inverse.c around compiled kernels: closed forms and damped least squares."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.compile.native import toolchain
from armtwin.compile.native.library import Single, addresses, load_bridge, numpy_requested
from armtwin.errors import CompileError
from armtwin.spatial import Array

Solver = Callable[..., tuple[Array, Array, Array, float] | None]
"""``solutions`` of bridge.c: from T, seed and redundancy to q, residuals, angles, redundancy."""

MAX_JOINTS, MAX_BRANCHES = 32, 16
"""Capacity of inverse.c."""


class DescentPlan(ctypes.Structure):
    """``Descent`` of inverse.c: kernels, starts and numbers of damped least squares."""

    _fields_ = (
        ("error", ctypes.c_void_p), ("rigid", ctypes.c_void_p), ("starts", ctypes.c_void_p),
        ("count", ctypes.c_long), ("joints", ctypes.c_long), ("steps", ctypes.c_long),
        ("patience", ctypes.c_long), ("solved", ctypes.c_double), ("rounding", ctypes.c_double),
        ("longest_step", ctypes.c_double), ("least_damping", ctypes.c_double),
        ("flaw", ctypes.c_double),
    )  # fmt: skip


class ClosedPlan(ctypes.Structure):
    """``Closed`` of inverse.c: kernels and numbers of a closed form."""

    _fields_ = (
        ("branches", ctypes.c_void_p), ("pose", ctypes.c_void_p), ("refine", ctypes.c_void_p),
        ("joints", ctypes.c_long), ("count", ctypes.c_long), ("block", ctypes.c_long),
        ("exact_margin", ctypes.c_double),
        ("border_margin", ctypes.c_double), ("singular", ctypes.c_double),
        ("flaw", ctypes.c_double), ("solved", ctypes.c_double),
    )  # fmt: skip


class Loop:
    """A function of inverse.c with its plan.

    Attributes:
        fast: runs one state, as ``Kernel.fast`` does.
    """

    def __init__(self, name: str, plan: ctypes.Structure, keep: Sequence[Any]) -> None:
        """Load a function; ``keep`` holds what the plan's addresses refer to."""
        self._plan, self._keep = plan, tuple(keep)
        self._call = getattr(_library(), name)
        self._call.restype = None
        self.fast: Single = lambda *inputs: None

    def with_ports(self, sizes: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> Loop:
        """Return the loop with its fast path for inputs and outputs of these sizes."""
        bridge = load_bridge()
        if bridge is not None:
            free = (tuple([-np.inf] * sizes[0]), tuple([np.inf] * sizes[0]))
            address = ctypes.cast(self._call, ctypes.c_void_p).value
            plan = ctypes.addressof(self._plan)
            self.fast = bridge.single(address, tuple(sizes), tuple(shapes), *free, plan)
        return self

    def solver(self, constants: Sequence[Array], joints: int, branches: int) -> Solver | None:
        """Return ``solutions`` of bridge.c for this function and plan, or None without a bridge.

        Args:
            constants: form, lower and upper limits; they must live as long as the result.
            joints: number of joints.
            branches: largest number of solutions.
        """
        bridge = load_bridge()
        if bridge is None:
            return None
        address = ctypes.cast(self._call, ctypes.c_void_p).value
        places = tuple(array.ctypes.data for array in constants)
        solver: Solver = bridge.solutions(address, self.plan_address, places, joints, branches)
        return solver

    @property
    def plan_address(self) -> int:
        """Address of the plan; valid while this object exists."""
        return ctypes.addressof(self._plan)

    def run(self, inputs: list[Array], outputs: list[Any]) -> None:
        """Fill C-contiguous ``outputs`` from ``inputs``, one row per state of the first output."""
        x, y = addresses(inputs, 0), addresses(outputs, 0)
        self._call(ctypes.c_long(len(outputs[0])), x, y, ctypes.byref(self._plan))


def available() -> bool:
    """Return whether the loops can run: a compiler that works, and no request for NumPy."""
    return not numpy_requested() and _library() is not None


def inverse_source() -> str:
    """Return the C text of the loops."""
    return Path(__file__).with_name("inverse.c").read_text(encoding="utf-8")


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(str(toolchain.shared_library(inverse_source(), name="inverse")))
    except (CompileError, OSError):
        return None
