"""Checked conversion of arguments of builtin functions."""

from __future__ import annotations

import math
from typing import Any

from armtwin.robots.ur_controller.script.errors import ScriptError, ScriptTypeError
from armtwin.robots.ur_controller.script.motions import MotionTarget, Six
from armtwin.robots.ur_controller.script.runtime.values import List, Pose, type_name


def number(value: Any, name: str) -> float:
    """Return a finite number as float."""
    if type(value) not in (int, float):
        raise ScriptTypeError(f"Type error: {name} is a number, not a {type_name(value)}")
    if not math.isfinite(value):
        raise ScriptError(f"Value error: {name} is {value}, a finite number is expected")
    return float(value)


def integer(value: Any, name: str, low: int, high: int) -> int:
    """Return a whole number within bounds; a float without fraction counts as one.

    Args:
        value: what the program passed.
        name: of the argument, for the error.
        low: smallest value.
        high: largest value.
    """
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int:
        raise ScriptTypeError(f"Type error: {name} is an Integer, not a {type_name(value)}")
    if not low <= value <= high:
        raise ScriptError(f"Value error: {name} is {value}, allowed are {low} to {high}")
    return value


def boolean(value: Any, name: str) -> bool:
    """Return a boolean."""
    if not isinstance(value, bool):
        raise ScriptTypeError(f"Type error: {name} is a Boolean, not a {type_name(value)}")
    return value


def string(value: Any, name: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise ScriptTypeError(f"Type error: {name} is a String, not a {type_name(value)}")
    return value


def vector(value: Any, name: str, length: int) -> Six:
    """Return the numbers of a list, or of a pose if six are expected.

    Args:
        value: what the program passed.
        name: of the argument, for the error.
        length: numbers that are expected.
    """
    if not isinstance(value, List | Pose):
        raise ScriptTypeError(f"Type error: {name} is a List, not a {type_name(value)}")
    if len(value.items) != length:
        raise ScriptTypeError(f"Type error: {name} has {length} numbers, {len(value.items)} given")
    return tuple(number(item, name) for item in value.items)


def pose(value: Any, name: str) -> Pose:
    """Return a pose."""
    if not isinstance(value, Pose):
        raise ScriptTypeError(f"Type error: {name} is a Pose, not a {type_name(value)}")
    return value


def target(value: Any, name: str, near: Any = None) -> MotionTarget:
    """Return a pose, or a list of six joint positions, as the target of a motion.

    Args:
        value: what the program passed.
        name: of the argument, for the error.
        near: joint positions that a pose's solution should be close to; the present ones
            if None.
    """
    close = None if near is None else vector(near, "qnear", 6)
    return MotionTarget(vector(value, name, 6), isinstance(value, Pose), close)


def positive(value: Any, name: str) -> float:
    """Return a positive number."""
    found = number(value, name)
    if found <= 0:
        raise ScriptError(f"Value error: {name} is {found:g}, a positive number is expected")
    return found


def not_negative(value: Any, name: str) -> float:
    """Return a number of at least zero."""
    found = number(value, name)
    if found < 0:
        raise ScriptError(f"Value error: {name} is {found:g}, expected 0 or more")
    return found
