"""Values of URScript: lists, poses, matrices and structs.

Numbers, booleans and strings are Python's ``int``, ``float``, ``bool`` and ``str``. The classes
here are immutable, so that assigning or passing a value never shares it: writing an element makes
a new value (``replaced``), which the compiler stores in the variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import tcp as tcp_equations
from armtwin.robots.ur_controller.script.errors import ScriptError, ScriptTypeError
from armtwin.robots.ur_controller.script.runtime.budget import check_elements
from armtwin.spatial import Array

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
"""Integers of URScript have 32 bits."""
POSE_SIZE = 6
"""x, y, z [m] and a rotation vector [rad]."""


def wrapped(value: int) -> int:
    """Return ``value`` as a signed 32-bit integer, overflow wrapped around."""
    return (value - INT_MIN) % 2**32 + INT_MIN


def type_name(value: Any) -> str:
    """Return the URScript name of a value's type."""
    names = {bool: "Boolean", int: "Integer", float: "Float", str: "String", type(None): "None"}
    if type(value) is List and value.shape is not None:
        return "Matrix"
    return names.get(type(value), type(value).__name__)


def element_count(value: Any) -> int:
    """Return the number of scalars in a value."""
    return value.count if isinstance(value, List | Struct) else 1


class List:
    """A list; a list of equally long lists is a matrix.

    Attributes:
        items: the elements.
        capacity: largest length that ``append``, ``insert`` and ``extend`` may reach.
        count: number of scalars, those of nested values included.
    """

    __slots__ = ("capacity", "count", "items")

    def __init__(self, items: tuple[Any, ...], capacity: int | None = None) -> None:
        self.items = items
        self.capacity = len(items) if capacity is None else capacity
        self.count = len(items)
        if items and isinstance(items[0], List | Struct):
            self.count = sum(element_count(item) for item in items)
        check_elements(self.count)

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and columns of a matrix; None for another list."""
        first = self.items[0] if self.items else None
        if not isinstance(first, List):
            return None
        columns = len(first.items)
        if any(not isinstance(r, List) or len(r.items) != columns for r in self.items):
            return None
        return len(self.items), columns

    def replaced(self, index: int, value: Any) -> List:
        """Return this list with another element at ``index``."""
        at = position(index, len(self.items))
        return List((*self.items[:at], value, *self.items[at + 1 :]), self.capacity)

    def __eq__(self, other: object) -> bool:
        """Return whether both lists have equal elements."""
        return isinstance(other, List) and self.items == other.items

    def __hash__(self) -> int:
        """Return a hash of the elements."""
        return hash(self.items)

    def __repr__(self) -> str:
        """Return the list as written in a program."""
        return f"[{', '.join(map(repr, self.items))}]"


class Pose:
    """A pose: position [m] and rotation vector [rad], six floats in ``items``."""

    __slots__ = ("items",)

    def __init__(self, items: Sequence[float]) -> None:
        if len(items) != POSE_SIZE:
            raise ScriptTypeError(f"Type error: a pose has 6 numbers, {len(items)} given")
        self.items = tuple(map(as_float, items))

    def replaced(self, index: int, value: Any) -> Pose:
        """Return this pose with another number at ``index``."""
        at = position(index, POSE_SIZE)
        return Pose((*self.items[:at], value, *self.items[at + 1 :]))

    def matrix(self) -> Array:
        """Return the pose as a homogeneous matrix (4, 4)."""
        run, vector = kernel(None, tcp_equations.as_pose), np.array(self.items)
        if not np.isfinite(vector).all():
            raise ScriptError("A pose holds NaN or infinity")
        return (run.fast(vector) or run(vector))[0]

    @staticmethod
    def from_matrix(T: Array) -> Pose:
        """Return the pose of a homogeneous matrix (4, 4)."""
        run, flat = (
            kernel(None, tcp_equations.as_vector),
            np.ascontiguousarray(T, np.float64).reshape(16),
        )
        return Pose((run.fast(flat) or run(flat))[0].tolist())

    def __eq__(self, other: object) -> bool:
        """Return whether both poses have equal numbers."""
        return isinstance(other, Pose) and self.items == other.items

    def __hash__(self) -> int:
        """Return a hash of the numbers."""
        return hash(self.items)

    def __repr__(self) -> str:
        """Return the pose as written in a program."""
        return f"p[{', '.join(map(repr, self.items))}]"


class Struct:
    """A struct: member names and values, in the order of definition."""

    __slots__ = ("count", "items", "names")

    def __init__(self, names: tuple[str, ...], items: tuple[Any, ...]) -> None:
        self.names, self.items = names, items
        self.count = sum(element_count(item) for item in items)
        check_elements(self.count)

    def index(self, name: str) -> int:
        """Return the place of a member; raise ScriptError if there is none of that name."""
        if name not in self.names:
            raise ScriptError(f"Struct has no member '{name}', it has {', '.join(self.names)}")
        return self.names.index(name)

    def replaced(self, index: int, value: Any) -> Struct:
        """Return this struct with another value at ``index``; its type must stay the same."""
        at = position(index, len(self.items))
        old = self.items[at]
        if isinstance(old, float) and type(value) is int:
            value = float(value)
        if type(old) is not type(value):
            raise ScriptTypeError(
                f"Type error: member '{self.names[at]}' is a {type_name(old)}, "
                f"cannot assign a {type_name(value)}"
            )
        return Struct(self.names, (*self.items[:at], value, *self.items[at + 1 :]))

    def __eq__(self, other: object) -> bool:
        """Return whether both structs have the same members with equal values."""
        return isinstance(other, Struct) and self.names == other.names and self.items == other.items

    def __hash__(self) -> int:
        """Return a hash of names and values."""
        return hash((self.names, self.items))

    def __repr__(self) -> str:
        """Return the struct as written in a program."""
        members = (f"{n}={v!r}" for n, v in zip(self.names, self.items, strict=True))
        return f"struct({', '.join(members)})"


def position(index: Any, length: int) -> int:
    """Return an index that was checked; raise ScriptError if it is out of bounds."""
    if type(index) is float and index.is_integer():
        index = int(index)
    if type(index) is not int:
        raise ScriptTypeError(f"Type error: an index is an Integer, not a {type_name(index)}")
    if not 0 <= index < length:
        raise ScriptError(f"Index out of bounds: index {index}, length {length}")
    return index


def as_float(value: Any) -> float:
    """Return a number as float; raise ScriptTypeError for another type."""
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise ScriptTypeError(f"Type error: a number is expected, not a {type_name(value)}")
