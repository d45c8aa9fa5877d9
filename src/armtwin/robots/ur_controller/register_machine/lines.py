"""Single lines of URScript: calls of known functions with numbers, lists, poses and names.

Whole URScript is not interpreted; a line that is not such a call is refused with a reason.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armtwin.errors import InputError
from armtwin.robots.ur.tcp import pose_from_vector
from armtwin.spatial import Array

LONGEST_LINE = 4096
_CALL = re.compile(r"\s*[A-Za-z_]\w*\s*\(")


@dataclass(frozen=True)
class Call:
    """A function's name with its arguments; poses are (4, 4), lists are arrays."""

    name: str
    arguments: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)


def parse_call(line: str) -> Call:
    """Return the call that a line makes.

    Raises:
        InputError: the line is no call of this simple kind.
    """
    if len(line) > LONGEST_LINE or not _CALL.match(line):
        raise InputError(f"not a call: {line.strip()[:60]!r}")
    tree = _tree(line.strip())
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise InputError(f"not a call: {line.strip()[:60]!r}")
    arguments = tuple(_value(node) for node in tree.args)
    named = {word.arg: _value(word.value) for word in tree.keywords if word.arg is not None}
    return Call(tree.func.id, arguments, named)


def _tree(text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"cannot be read: {text[:60]!r}") from error


def _value(node: ast.expr, depth: int = 0) -> Any:
    """Return the value of an expression of numbers."""
    if depth > 20:
        raise InputError("an expression is nested too deeply")
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str):
        return node.value
    if isinstance(node, ast.List):
        return _numbers(node.elts, depth)
    if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "p":
        inside = node.slice
        return pose_from_vector(
            _numbers(inside.elts if isinstance(inside, ast.Tuple) else [inside], depth)
        )
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _number(node.operand, depth)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        return _sum(node, depth)
    return _named(node, depth)


def _named(node: ast.expr, depth: int) -> Any:
    if isinstance(node, ast.Name) and node.id in ("pi", "PI"):
        return math.pi
    call = node if isinstance(node, ast.Call) else None
    if call is not None and getattr(call.func, "id", "") == "d2r" and len(call.args) == 1:
        return math.radians(_number(call.args[0], depth))
    raise InputError(f"not understood: {ast.unparse(node)[:60]}")


def _sum(node: ast.BinOp, depth: int) -> float:
    a, b = _number(node.left, depth), _number(node.right, depth)
    if isinstance(node.op, ast.Add):
        return a + b
    if isinstance(node.op, ast.Sub):
        return a - b
    if isinstance(node.op, ast.Mult):
        return a * b
    if isinstance(node.op, ast.Div) and b != 0:
        return a / b
    raise InputError(f"not understood: {ast.unparse(node)[:60]}")


def _number(node: ast.expr, depth: int) -> float:
    value = _value(node, depth + 1)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"a number is expected, not {value!r}"[:100])
    try:
        return float(value)
    except OverflowError as error:
        raise InputError("a number is too large") from error


def _numbers(nodes: list[ast.expr], depth: int) -> Array:
    return np.array([_number(node, depth) for node in nodes], float)
