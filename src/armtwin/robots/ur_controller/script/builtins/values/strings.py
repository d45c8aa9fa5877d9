"""String functions. Positions count bytes from 0."""

from __future__ import annotations

import re
from typing import Any

from armtwin.robots.ur_controller.script.builtins.arguments import integer, string
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.runtime.budget import check_string
from armtwin.robots.ur_controller.script.runtime.formatting import to_text
from armtwin.robots.ur_controller.script.runtime.values import INT_MAX, INT_MIN

group = Group()
_INTEGER = re.compile(r"\s*[+-]?\d+\Z")
_HEX = re.compile(r"\s*[+-]?0[xX][0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
_WORD = re.compile(r"\s*[+-]?(inf|infinity|nan)\Z", re.IGNORECASE)


def _bytes(value: Any, name: str) -> bytes:
    return string(value, name).encode("utf-8", "surrogateescape")


def _string(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


@group(cost=20)
def str_cat(op1: Any, op2: Any) -> str:
    """Return two values as text, one after the other; at most 1023 bytes."""
    return check_string(to_text(op1) + to_text(op2))


@group
def str_at(src: Any, index: Any) -> str:
    """Return the byte at a position."""
    data = _bytes(src, "src")
    at = integer(index, "index", INT_MIN, INT_MAX)
    if not 0 <= at < len(data):
        raise ScriptError(f"Index out of bounds: index {at}, length {len(data)}")
    return _string(data[at : at + 1])


@group
def str_empty(str: Any) -> bool:  # noqa: A002 - the name in URScript
    """Return whether a string is empty."""
    return not string(str, "str")


@group
def str_find(src: Any, target: Any, start_from: Any = 0) -> int:
    """Return the first position of ``target`` from ``start_from`` on; -1 if there is none.

    Args:
        src: text to look in.
        target: text to look for.
        start_from: first position [B].
    """
    start = integer(start_from, "start_from", 0, INT_MAX)
    return _bytes(src, "src").find(_bytes(target, "target"), start)


@group
def str_len(str: Any) -> int:  # noqa: A002 - the name in URScript
    """Return the number of bytes."""
    return len(_bytes(str, "str"))


@group
def str_sub(src: Any, index: Any, len: Any = INT_MAX) -> str:  # noqa: A002 - the name in URScript
    """Return at most ``len`` bytes from a position on.

    Args:
        src: the text.
        index: first position [B].
        len: most bytes.
    """
    data = _bytes(src, "src")
    first = integer(index, "index", INT_MIN, INT_MAX)
    count = integer(len, "len", INT_MIN, INT_MAX)
    size = data.__len__()
    if not 0 <= first <= size or count < 0:
        raise ScriptError(f"Index out of bounds: str_sub from {first}, length {count} of {size}")
    return _string(data[first : first + count])


@group(cost=20)
def to_str(val: Any) -> str:
    """Return a value as text."""
    return check_string(to_text(val))


@group
def to_num(str: Any) -> int | float:  # noqa: A002 - the name in URScript
    """Return the number in a string: an integer, or a float if it has a point or exponent."""
    text = string(str, "str")
    if _HEX.match(text) or _INTEGER.match(text):
        value = int(text, 16 if _HEX.match(text) else 10) if len(text) < 40 else INT_MAX + 1
        if INT_MIN <= value <= INT_MAX:
            return value
        raise ScriptError(f"to_num: '{text[:40]}' is out of range")
    if _FLOAT.match(text) or _WORD.match(text):
        return float(text)
    raise ScriptError(f"to_num: '{text[:40]}' is not a valid number")
