"""Poses as nested tuples, so that values that hold them are frozen and can be hashed."""

from __future__ import annotations

from typing import Any

from armtwin.errors import InputError
from armtwin.spatial import as_numbers

Matrix = tuple[tuple[float, ...], ...]
IDENTITY: Matrix = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))


def as_matrix(value: Any) -> Matrix:
    """Return a 4x4 array as nested tuples of floats."""
    array = as_numbers(value, "a frame")
    if array.shape != (4, 4):
        raise InputError(f"a frame is a 4x4 matrix, got shape {array.shape}")
    return tuple(tuple(row) for row in array.tolist())
