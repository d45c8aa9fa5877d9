"""Error codes of protective stops, from UR's list: ``C157A1`` is code 157 with argument 1."""

from __future__ import annotations

import re
from dataclasses import dataclass

PROTECTIVE_STOP = "protective stop: "
"""Begins the text with which the controller reports one."""
NEAR_LIMIT, SINGULAR, COLLISION, SPEED, TRIGGERED = 150, 154, 157, 205, 209
"""Position close to a joint limit, position in a singularity, collision detected by a joint, target
speed does not fit the target position, a protective stop was triggered."""
_REASONS = (
    (re.compile(r"collision.* joint (\d)"), COLLISION),
    (re.compile(r"joint (\d) at its limit"), NEAR_LIMIT),
    (re.compile(r"joint (\d) too fast"), SPEED),
    (re.compile(r"singular"), SINGULAR),
)


@dataclass(frozen=True)
class ErrorCode:
    """An error code.

    Attributes:
        code: which error.
        argument: which joint, from 0, where the error has one; else 0.
        text: the reason in words.
    """

    code: int
    argument: int
    text: str


def protective_stop_code(reason: str) -> ErrorCode:
    """Return the error code of the reason for a protective stop."""
    for pattern, code in _REASONS:
        found = pattern.search(reason)
        if found:
            return ErrorCode(code, int(found[1]) - 1 if found.groups() else 0, reason)
    return ErrorCode(TRIGGERED, 0, reason)
