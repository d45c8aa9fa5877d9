"""Operators of URScript on numbers, lists and matrices.

Arithmetic on two integers stays within 32 bits, except ``/``, which always gives a float.
``%`` has the sign of the dividend, as in C. Lists are combined element by element, a matrix with
a matrix or list by the matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from armtwin.robots.ur_controller.script.errors import ScriptError, ScriptTypeError
from armtwin.robots.ur_controller.script.runtime.values import (
    INT_MAX,
    INT_MIN,
    List,
    Pose,
    Struct,
    position,
    type_name,
    wrapped,
)

Operator = Callable[[Any, Any, Any], Any]
ELEMENT_COST = 2
"""Statements that an operation on one element of a list counts for."""

COPIES_PER_STATEMENT = 16
"""Elements that are copied in about the time of a statement."""


class StatementCounter(Protocol):
    """Counts statements that a thread may still execute in this cycle."""

    left: int


def add(a: Any, b: Any, meter: StatementCounter) -> Any:
    """Return ``a + b``.

    Args:
        a: left operand.
        b: right operand.
        meter: counts the elements that are computed.
    """
    ta, tb = type(a), type(b)
    if (ta is float or ta is int) and (tb is float or tb is int):
        c = a + b
        return c if type(c) is float or INT_MIN <= c <= INT_MAX else wrapped(c)
    return _lists(a, b, add, "+", meter)


def subtract(a: Any, b: Any, meter: StatementCounter) -> Any:
    """Return ``a - b``.

    Args:
        a: left operand.
        b: right operand.
        meter: counts the elements that are computed.
    """
    ta, tb = type(a), type(b)
    if (ta is float or ta is int) and (tb is float or tb is int):
        c = a - b
        return c if type(c) is float or INT_MIN <= c <= INT_MAX else wrapped(c)
    return _lists(a, b, subtract, "-", meter)


def multiply(a: Any, b: Any, meter: StatementCounter) -> Any:
    """Return ``a * b``; the matrix product if ``a`` is a matrix and ``b`` a matrix or list.

    Args:
        a: left operand.
        b: right operand.
        meter: counts the elements that are computed.
    """
    ta, tb = type(a), type(b)
    if (ta is float or ta is int) and (tb is float or tb is int):
        c = a * b
        return c if type(c) is float or INT_MIN <= c <= INT_MAX else wrapped(c)
    if ta is List and tb is List and a.shape is not None:
        return _matrix_product(a, b, meter)
    return _lists(a, b, multiply, "*", meter)


def divide(a: Any, b: Any, meter: StatementCounter) -> Any:
    """Return ``a / b``, a float for numbers.

    Args:
        a: left operand.
        b: right operand.
        meter: counts the elements that are computed.
    """
    ta, tb = type(a), type(b)
    if (ta is float or ta is int) and (tb is float or tb is int):
        if b == 0:
            raise ScriptError("Division by zero")
        return a / b
    return _lists(a, b, divide, "/", meter)


def modulo(a: Any, b: Any, meter: StatementCounter) -> Any:
    """Return the remainder of ``a / b``, with the sign of ``a``.

    Args:
        a: left operand.
        b: right operand.
        meter: counts the elements that are computed.
    """
    ta, tb = type(a), type(b)
    if (ta is float or ta is int) and (tb is float or tb is int):
        if b == 0:
            raise ScriptError("Division by zero")
        if ta is int and tb is int:
            return a % b if (a >= 0) == (b > 0) else -(-a % b) if a < 0 else a % -b
        return math.fmod(a, b) if math.isfinite(a) else math.nan
    return _lists(a, b, modulo, "%", meter)


def negate(a: Any) -> Any:
    """Return ``-a``."""
    if type(a) is int:
        return wrapped(-a)
    if type(a) is float:
        return -a
    if type(a) is List:
        return List(tuple(map(negate, a.items)))
    raise ScriptTypeError(f"Type error: cannot negate a {type_name(a)}")


def truth(value: Any) -> bool:
    """Return whether a condition holds: a boolean, a number other than 0, a non-empty string."""
    if value is True or value is False:
        return value
    if type(value) in (int, float, str):
        return bool(value)
    raise ScriptTypeError(f"Type error: a {type_name(value)} is no condition")


def index(value: Any, at: Any) -> Any:
    """Return ``value[at]`` of a list, pose, struct or string."""
    if type(value) is List and type(at) is int and 0 <= at < len(value.items):
        return value.items[at]
    if isinstance(value, List | Pose | Struct):
        return value.items[position(at, len(value.items))]
    if isinstance(value, str):
        return value[position(at, len(value))]
    raise ScriptTypeError(f"Type error: a {type_name(value)} has no elements")


def member(value: Any, name: str) -> Any:
    """Return ``value.name`` of a struct."""
    if not isinstance(value, Struct):
        raise ScriptTypeError(f"Type error: a {type_name(value)} has no member '{name}'")
    return value.items[value.index(name)]


def replaced(value: Any, path: tuple[Any, ...], new: Any, meter: StatementCounter) -> Any:
    """Return ``value`` with another element at ``path``, a sequence of indices and members.

    Args:
        value: list, matrix, pose or struct.
        path: indices and names of members.
        new: the element.
        meter: counts the elements that are copied.
    """
    at, rest = path[0], path[1:]
    if not isinstance(value, List | Pose | Struct):
        raise ScriptTypeError(f"Type error: cannot assign to an element of a {type_name(value)}")
    if isinstance(at, str):
        if not isinstance(value, Struct):
            raise ScriptTypeError(f"Type error: a {type_name(value)} has no member '{at}'")
        at = value.index(at)
    meter.left -= len(value.items) // COPIES_PER_STATEMENT
    if rest:
        new = replaced(value.items[position(at, len(value.items))], rest, new, meter)
    return value.replaced(at, new)


def _lists(a: Any, b: Any, operator: Operator, sign: str, meter: StatementCounter) -> Any:
    """Return the elements of ``a`` and ``b`` combined; a number goes with every element."""
    ta, tb = type(a), type(b)
    if ta is List and tb is List:
        if len(a.items) != len(b.items):
            raise ScriptTypeError(
                f"Type error: lists of {len(a.items)} and {len(b.items)} elements for {sign}"
            )
        meter.left -= ELEMENT_COST * len(a.items)
        return List(tuple(operator(x, y, meter) for x, y in zip(a.items, b.items, strict=True)))
    if ta is List and tb in (int, float):
        meter.left -= ELEMENT_COST * len(a.items)
        return List(tuple(operator(item, b, meter) for item in a.items))
    if tb is List and ta in (int, float):
        meter.left -= ELEMENT_COST * len(b.items)
        return List(tuple(operator(a, item, meter) for item in b.items))
    raise ScriptTypeError(
        f"Type error: unsupported operand types for {sign}: {type_name(a)} and {type_name(b)}"
    )


def as_array(value: List) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return a list or matrix of numbers as an array; raise ScriptTypeError for other elements."""
    rows = value.items if value.shape is None else [r for row in value.items for r in row.items]
    if any(type(item) not in (int, float) for item in rows):
        raise ScriptTypeError("Type error: a matrix holds numbers only")
    return np.array(rows, np.float64).reshape(value.shape or -1)


def from_array(array: np.ndarray[Any, Any]) -> List:
    """Return an array of one or two dimensions as a list or matrix."""
    if array.ndim == 1:
        return List(tuple(array.tolist()))
    return List(tuple(List(tuple(row)) for row in array.tolist()))


def _matrix_product(a: List, b: List, meter: StatementCounter) -> List:
    meter.left -= ELEMENT_COST * (a.count + b.count)
    A, B = as_array(a), as_array(b)
    if A.shape[1] != B.shape[0]:
        raise ScriptTypeError(
            f"Type error: a matrix of {A.shape[1]} columns times one of {B.shape[0]} rows"
        )
    product = A @ B
    ints = all(type(i) is int for m in (a, b) for i in _flat(m))
    whole = ints and float(np.abs(product).max(initial=0)) <= INT_MAX
    return from_array(product.astype(np.int64) if whole else product)


def _flat(value: Any) -> list[Any]:
    return [i for item in value.items for i in _flat(item)] if type(value) is List else [value]
