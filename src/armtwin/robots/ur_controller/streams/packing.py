"""Frames of the primary and secondary interface.

A message is ``int32 size, uint8 type, body``; a sub-package of the robot state has the same head.
"""

from __future__ import annotations

import struct

from armtwin.robots.ur.protocol.fields import Version

HEAD = struct.Struct(">iB")
ROBOT_STATE, ROBOT_MESSAGE = 16, 20
"""Types of messages."""


def framed(kind: int, body: bytes) -> bytes:
    """Return a message or sub-package: its size, its type and its body."""
    return HEAD.pack(HEAD.size + len(body), kind) + body


def microseconds(clock: float) -> int:
    """Return a time [s] as time stamps count it [us]."""
    return round(clock * 1e6)


def is_since(version: Version, *first: tuple[int, int]) -> bool:
    """Return whether a version has what came with a release.

    Args:
        version: the controller's.
        first: major and minor number of the first release, once per generation (CB3 is 3,
            e-Series 5). A generation after the last one named has it from the start.
    """
    same = [since for since in first if since[0] == version[0]]
    return version[:2] >= same[0] if same else version[0] > max(since[0] for since in first)
