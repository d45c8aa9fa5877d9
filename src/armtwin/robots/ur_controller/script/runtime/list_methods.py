"""Methods of lists: ``values.append(1)``.

Each takes the list and its arguments and returns the list afterwards and the method's value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from armtwin.robots.ur_controller.script.errors import ScriptError, ScriptTypeError
from armtwin.robots.ur_controller.script.runtime.values import List, position, type_name

Changed = tuple[List, Any]


def _grown(value: List, items: tuple[Any, ...]) -> List:
    if len(items) > value.capacity:
        raise ScriptError(
            f"List capacity exceeded: {len(items)} elements, at most {value.capacity}"
        )
    return List(items, value.capacity)


def append(value: List, element: Any) -> Changed:
    """Add an element at the end."""
    return _grown(value, (*value.items, element)), None


def insert(value: List, index: Any, element: Any) -> Changed:
    """Add an element before ``index``.

    Args:
        value: the list.
        index: from 0.
        element: what is added.
    """
    at = position(index, len(value.items) + 1)
    return _grown(value, (*value.items[:at], element, *value.items[at:])), None


def extend(value: List, other: Any) -> Changed:
    """Add the elements of another list."""
    if not isinstance(other, List):
        raise ScriptTypeError(f"Type error: extend takes a List, not a {type_name(other)}")
    return _grown(value, value.items + other.items), None


def pop(value: List) -> Changed:
    """Remove the last element and return it."""
    if not value.items:
        raise ScriptError("Index out of bounds: pop from an empty list")
    return List(value.items[:-1], value.capacity), value.items[-1]


def remove(value: List, index: Any) -> Changed:
    """Remove the element at ``index``."""
    at = position(index, len(value.items))
    return List(value.items[:at] + value.items[at + 1 :], value.capacity), None


def clear(value: List) -> Changed:
    """Remove all elements."""
    return List((), value.capacity), None


def length(value: List) -> Changed:
    """Return the number of elements."""
    return value, len(value.items)


def capacity(value: List) -> Changed:
    """Return the largest length."""
    return value, value.capacity


def excess_capacity(value: List) -> Changed:
    """Return how many elements can be added."""
    return value, value.capacity - len(value.items)


def slice_(value: List, begin_index: Any, end_index: Any) -> Changed:
    """Return the elements from ``begin_index`` up to, not including, ``end_index``.

    Args:
        value: the list.
        begin_index: from 0.
        end_index: from 0.
    """
    first, end = (position(i, len(value.items) + 1) for i in (begin_index, end_index))
    return value, List(value.items[first:end])


METHODS: dict[str, Callable[..., Changed]] = {
    "append": append, "insert": insert, "extend": extend, "pop": pop, "remove": remove,
    "clear": clear, "length": length, "capacity": capacity, "excess_capacity": excess_capacity,
    "slice": slice_,
}  # fmt: skip
CHANGING = frozenset({"append", "insert", "extend", "pop", "remove", "clear"})
"""Methods that change their list."""


def call_method(value: Any, name: str, arguments: tuple[Any, ...]) -> Changed:
    """Call a method of a list; return the list afterwards and the method's value.

    Args:
        value: the list.
        name: of the method.
        arguments: of the method.
    """
    if not isinstance(value, List):
        raise ScriptTypeError(f"Type error: a {type_name(value)} has no method '{name}'")
    method = METHODS[name]
    expected = method.__code__.co_argcount - 1
    if len(arguments) != expected:
        raise ScriptTypeError(
            f"Type error: {name} takes exactly {expected} arguments ({len(arguments)} given)"
        )
    return method(value, *arguments)
