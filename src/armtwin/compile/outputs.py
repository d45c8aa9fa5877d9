"""Where a kernel's results go: new arrays, or arrays that the caller gives."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armtwin.compile.program import Program
from armtwin.errors import InputError
from armtwin.spatial import Array

LINE = 64
"""Bytes of a cache line: arrays that begin with one can be written past the caches."""
LARGE = 1 << 25
"""Bytes of results that do not stay in the caches."""


def new_array(shape: tuple[int, ...]) -> Array:
    """Return an uninitialised float64 array; a large one begins with a cache line."""
    return np.empty(shape) if math.prod(shape) * 8 < LARGE else line_array(shape)


def line_array(shape: tuple[int, ...]) -> Array:
    """Return an uninitialised float64 array that begins with a cache line."""
    count = math.prod(shape)
    room = np.empty(count + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + count].reshape(shape)


def check_places(
    program: Program, out: Sequence[Array], lead: tuple[int, ...], inputs: Sequence[Array]
) -> None:
    """Refuse arrays that a program's results for a batch cannot be written to directly.

    Raises:
        InputError: another count, shape or type than the results have, an array that is read-only,
            not C-contiguous, or shares memory with an input.
    """
    expected = [(*lead, *port.shape) for port in program.outputs]
    given = [np.shape(y) for y in out]
    if given != expected:
        raise InputError(f"{program.name}: out has shapes {given}; the results have {expected}")
    for y in out:
        flags = y.flags if isinstance(y, np.ndarray) and y.dtype == np.float64 else None
        if flags is None or not (flags.c_contiguous and flags.writeable and flags.aligned):
            raise InputError(
                f"{program.name}: out must be a writable C-contiguous float64 array; "
                f"make it with numpy.empty({np.shape(y)})"
            )
        if any(np.may_share_memory(y, x) for x in inputs):
            raise InputError(f"{program.name}: out shares memory with an input; give another array")
