"""Functions of lists and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.robots.ur_controller.script.builtins.arguments import integer
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.builtins.values.poses import pose_inv
from armtwin.robots.ur_controller.script.errors import ScriptError, ScriptTypeError
from armtwin.robots.ur_controller.script.runtime.budget import MAX_ELEMENTS, check_elements
from armtwin.robots.ur_controller.script.runtime.operators import as_array, from_array
from armtwin.robots.ur_controller.script.runtime.values import (
    List,
    Pose,
    Struct,
    as_float,
    element_count,
    type_name,
)

group = Group()


@group(cost=4)
def make_list(length: Any, initial_value: Any, capacity: Any = None) -> List:
    """Return a list of equal elements, which may grow to ``capacity`` elements.

    Args:
        length: elements at the start.
        initial_value: of each element.
        capacity: most elements.
    """
    most = MAX_ELEMENTS
    count = integer(length, "length", 0, most)
    room = count if capacity is None else integer(capacity, "capacity", count, most)
    if isinstance(initial_value, List):
        raise ScriptTypeError("Type error: make_list makes no list of lists")
    check_elements(count * element_count(initial_value))
    return List((initial_value,) * count, room)


@group
def get_list_length(v: Any) -> int:
    """Return the number of elements of a list."""
    if not isinstance(v, List):
        raise ScriptTypeError(f"Type error: get_list_length of a {type_name(v)}")
    return len(v.items)


@group
def length(v: Any) -> int:
    """Return the number of elements of a list, or of bytes of a string."""
    if isinstance(v, str):
        return len(v.encode("utf-8", "surrogateescape"))
    if not isinstance(v, List | Pose | Struct):
        raise ScriptTypeError(f"Type error: length of a {type_name(v)}")
    return len(v.items)


@group
def size(v: Any) -> Any:
    """Return rows and columns of a matrix, or the length of a list or string."""
    shape = v.shape if isinstance(v, List) else None
    return length(v) if shape is None else List(shape)


@group(cost=4)
def transpose(m: Any) -> Any:
    """Return the transpose of a matrix; a list becomes a matrix of one column."""
    if not isinstance(m, List):
        raise ScriptTypeError(f"Type error: transpose of a {type_name(m)}")
    if m.shape is None:
        return List(tuple(List((item,)) for item in m.items))
    rows = [row.items for row in m.items]
    return List(tuple(List(column) for column in zip(*rows, strict=True)))


@group(cost=10)
def inv(m: Any) -> Any:
    """Return the inverse of a square matrix or pose."""
    if isinstance(m, Pose):
        return pose_inv(m)
    shape = m.shape if isinstance(m, List) else None
    if shape is None or shape[0] != shape[1]:
        raise ScriptTypeError("Type error: inv takes a pose or a square matrix")
    try:
        return from_array(np.linalg.inv(as_array(m)))
    except np.linalg.LinAlgError:
        raise ScriptError("Math error: the matrix is singular") from None


@group
def normalize(v: Any) -> List:
    """Return a list of numbers scaled to a Euclidean norm of 1."""
    if not isinstance(v, List):
        raise ScriptTypeError(f"Type error: normalize of a {type_name(v)}")
    values = np.array([as_float(item) for item in v.items])
    length_ = float(np.linalg.norm(values))
    if length_ == 0:
        raise ScriptError("Math error: normalize of a zero vector")
    return from_array(values / length_)
