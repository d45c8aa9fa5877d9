"""Result arrays of a kernel: new ones, or those given by the caller."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armtwin.compile.program import Program
from armtwin.errors import InputError
from armtwin.spatial import Array

LINE = 64
"""Bytes of a cache line; streaming stores need arrays aligned to it."""
LARGE = 1 << 25
"""Bytes of results from which streaming stores are used: more than the caches hold."""


def new_array(shape: tuple[int, ...]) -> Array:
    """Return an uninitialised float64 array; a large one is aligned to a cache line."""
    return np.empty(shape) if math.prod(shape) * 8 < LARGE else aligned_array(shape)


def aligned_array(shape: tuple[int, ...]) -> Array:
    """Return an uninitialised float64 array aligned to a cache line."""
    count = math.prod(shape)
    room = np.empty(count + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + count].reshape(shape)


def check_out_arrays(
    program: Program, out: Sequence[Array], lead: tuple[int, ...], inputs: Sequence[Array]
) -> None:
    """Raise InputError for arrays that the results of a batch cannot be written to directly.

    Args:
        program: the program, for the shapes of its outputs.
        out: the arrays given as ``out``, one per output.
        lead: shape of the batch.
        inputs: the input arrays, which must not share memory with ``out``.

    Raises:
        InputError: wrong count, shape or type, an array that is read-only,
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
