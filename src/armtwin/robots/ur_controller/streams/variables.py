"""Global variables of the running program, as the primary interface sends them.

A program state message is ``uint64 time [us], int8 type, uint16 index of the first variable``, then
names or values, each ended by a line feed; a value is ``uint8 type`` and its data.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from armtwin.robots.ur.protocol.fields import Version
from armtwin.robots.ur_controller.script.runtime.values import List, Pose, element_count
from armtwin.robots.ur_controller.streams.packing import framed, is_since, microseconds

PROGRAM_STATE = 25
"""Type of the message."""
SETUP, UPDATE = 0, 1
"""Types of program state messages: names, and values."""
MAX_ELEMENTS, LONGEST_TEXT = 256, 1024
"""Numbers in a value and bytes of a text; larger lists are sent without a value."""
MAX_VARIABLES = 500
"""Global variables that are sent; a program with more shows the first ones."""
NONE, STRING = 0, 3
"""Types of values that all versions share."""
_NUMBERED = ("pose", "bool", "int", "float", "list", "matrix")
_TYPES = {
    (3, 2): (9, 11, 13, 14, 4, 4),
    (5, 0): (10, 12, 14, 15, 5, 5),
    (5, 9): (12, 13, 15, 16, 17, 18),
}
"""Numbers of the other types up to release 3.2, from 3.3 and 5.0, and from 3.14 and 5.9 on."""


class VariableMessages:
    """Makes the messages about a program's global variables.

    Args:
        version: the controller's.
    """

    def __init__(self, version: Version) -> None:
        release = (5, 9) if is_since(version, (3, 14), (5, 9)) else (5, 0)
        release = release if is_since(version, (3, 3)) else (3, 2)
        self._types = dict(zip(_NUMBERED, _TYPES[release], strict=True))
        self._matrices = self._types["matrix"] != self._types["list"]

    def setup(self, clock: float, names: Iterable[str]) -> bytes:
        """Return the message with the names of the variables at a time [s]."""
        body = b"".join(name.encode() + b"\n" for name in names)
        return _message(clock, SETUP, body)

    def update(self, clock: float, values: Iterable[Any]) -> bytes:
        """Return the message with the values of the variables at a time [s]."""
        return _message(clock, UPDATE, b"".join(self._shown(value) + b"\n" for value in values))

    def _shown(self, value: Any) -> bytes:
        return bytes([NONE]) if element_count(value) > MAX_ELEMENTS else self.value(value)

    def value(self, value: Any) -> bytes:
        """Return type and data of a value; None has no value, nor has a struct."""
        if isinstance(value, bool):
            return struct.pack(">B?", self._types["bool"], value)
        if isinstance(value, int):
            return struct.pack(">Bi", self._types["int"], value)
        if isinstance(value, float):
            return bytes([self._types["float"]]) + _floats([value])
        if isinstance(value, str):
            text = value.encode("utf-8", "replace")[:LONGEST_TEXT]
            return struct.pack(">BH", STRING, len(text)) + text
        if isinstance(value, Pose):
            return bytes([self._types["pose"]]) + _floats(value.items)
        return self._list(value) if isinstance(value, List) else bytes([NONE])

    def _list(self, value: List) -> bytes:
        if self._matrices and value.shape is not None:
            head = struct.pack(">BHH", self._types["matrix"], *value.shape)
            return head + b"".join(self.value(v) for row in value.items for v in row.items)
        head = struct.pack(">BH", self._types["list"], len(value.items))
        return head + b"".join(map(self.value, value.items))


def _floats(values: Iterable[float]) -> bytes:
    """Return numbers in single precision; too large ones are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray([*values]).astype(">f4").tobytes()


def _message(clock: float, kind: int, body: bytes) -> bytes:
    return framed(PROGRAM_STATE, struct.pack(">QbH", microseconds(clock), kind, 0) + body)
