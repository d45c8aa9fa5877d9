"""The loops of inverse.c around compiled kernels: closed forms and damped least squares."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from armtwin.compile.native import toolchain
from armtwin.compile.native.bridge import bridge_identity, load_bridge
from armtwin.compile.native.library import Single, addresses
from armtwin.compile.native.verdicts import CAREFUL, CODE_IS_WRONG, kept_verdict, warn_once
from armtwin.errors import CompileError
from armtwin.spatial import Array

Solver = Callable[..., tuple[Array, Array, Array, float] | None]
"""``solutions`` of bridge.c: from T, seed and redundancy to q, residuals, angles, redundancy."""

MAX_JOINTS, MAX_BRANCHES = 32, 16
"""Capacity of inverse.c."""
Made = TypeVar("Made")


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

    def __init__(
        self, library: ctypes.CDLL, name: str, plan: ctypes.Structure, keep: Sequence[Any]
    ) -> None:
        """Take a function of a library; ``keep`` holds what the plan's addresses refer to."""
        self._plan, self._keep = plan, tuple(keep)
        self._call = getattr(library, name)
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


def proved(
    what: tuple[str, ...],
    build: Callable[[ctypes.CDLL], Made],
    fault: Callable[[Made], str | None],
) -> Made | None:
    """Return what is built of inverse.c's functions once it has computed right numbers, or None.

    A library with wrong numbers is replaced by one of careful flags; the first time with a warning.
    None without a compiler, where NumPy is requested, and where no library is right.

    Args:
        what: the function, the libraries of the kernels that it calls, and what of the arm its code
            branches on; a verdict holds for all arms with the same.
        build: makes it from a library of inverse.c.
        fault: returns what is wrong with its results, or None.
    """
    if toolchain.numpy_requested():
        return None
    for flags in ((), CAREFUL):
        library = _library(flags)
        if library is None:
            continue
        made = build(library)
        wrong = kept_verdict(
            Path(library._name), (*what, bridge_identity()), functools.partial(fault, made)
        )
        if wrong is None:
            return made
        warn_once(CODE_IS_WRONG, wrong)
    return None


def inverse_source() -> str:
    """Return the C text of the loops."""
    return Path(__file__).with_name("inverse.c").read_text(encoding="utf-8")


@functools.cache
def _library(flags: tuple[str, ...]) -> ctypes.CDLL | None:
    try:
        path = toolchain.shared_library(inverse_source(), name="inverse", extra=flags)
        return ctypes.CDLL(str(path))
    except (CompileError, OSError):
        return None
