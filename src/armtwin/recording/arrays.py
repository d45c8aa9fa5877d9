"""Arrays as columns: split by name, locked against writing."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.recording.columns.names import JOINT_UNITS, TARGET, VECTORS
from armtwin.spatial import Array, as_numbers


def split(key: str, values: ArrayLike) -> dict[str, Array]:
    """Return a group's array as named columns: ``("q", (n, 6))`` gives q1 to q6."""
    array = as_numbers(values, f"column {key!r}")
    if array.ndim == 1:
        return {key: array}
    bare = key.removeprefix(TARGET)
    if array.ndim != 2 or (bare not in VECTORS and bare not in JOINT_UNITS):
        known = ", ".join((*JOINT_UNITS, *VECTORS))
        raise InputError(
            f"{key!r} with shape {array.shape} is no group of columns; give (n,) for one column, "
            f"or (n, k) for one of {known} (target_ may stand before)"
        )
    prefix = key[: len(key) - len(bare)]
    joints = [f"{bare}{number}" for number in range(1, array.shape[1] + 1)]
    parts = VECTORS.get(bare, tuple(joints))
    if len(parts) != array.shape[1]:
        raise InputError(f"{key!r} has {len(parts)} parts, got {array.shape[1]} columns")
    return {prefix + part: array[:, column] for column, part in enumerate(parts)}


def check_names(names: Iterable[object]) -> None:
    """Raise InputError for a name that no column can have: not text, empty, or ``time``."""
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"a column's name is a text of one character or more, got {name!r}")
        if name == "time":
            raise InputError("'time' is the clock and cannot be a column's name; call it otherwise")
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise InputError(f"column {name!r} holds half of a character, which no file can keep")


def locked(name: str, values: ArrayLike) -> Array:
    """Return a column as contiguous, read-only float64."""
    array = np.ascontiguousarray(as_numbers(values, f"column {name!r}"))
    if array.ndim != 1:
        raise InputError(f"column {name!r} has shape {array.shape}; expected (n,)")
    if np.isinf(array).any():
        raise InputError(
            f"column {name!r} holds infinity at row {int(np.isinf(array).argmax()) + 1}; "
            "use NaN where there is no value"
        )
    if array.flags.writeable:
        array = array.copy() if array is values else array
        array.flags.writeable = False
    return array
