"""Error codes of protective stops, from UR's list: ``C157A1`` is code 157 with argument 1."""

from __future__ import annotations

import re
from dataclasses import dataclass

PROTECTIVE_STOP = "protective stop: "
"""Begins the text with which the controller reports one."""
NEAR_LIMIT, SINGULAR, COLLISION, PATH, TRIGGERED = 150, 154, 157, 204, 209
"""Position close to joint limits, position in singularity, collision detected by a joint, path
sanity check failed, a protective stop was triggered (for test purposes)."""
SUDDEN_CHANGE, INVALID_SETPOINT = 1, 5
"""Arguments of a failed path sanity check."""
_REASONS = (
    (re.compile(r"collision.* joint (\d)"), COLLISION, None),
    (re.compile(r"at its limit"), NEAR_LIMIT, 0),
    (re.compile(r"too fast"), PATH, SUDDEN_CHANGE),
    (re.compile(r"not a number"), PATH, INVALID_SETPOINT),
    (re.compile(r"singular"), SINGULAR, 0),
)
"""Words of a reason, its code and argument; None if the argument is the joint in the words."""


@dataclass(frozen=True)
class ErrorCode:
    """An error code.

    Attributes:
        code: which error.
        argument: which joint, from 0, or which kind of the error; 0 where it has none.
        text: the reason in words.
    """

    code: int
    argument: int
    text: str


def protective_stop_code(reason: str) -> ErrorCode:
    """Return the error code of the reason for a protective stop."""
    for pattern, code, argument in _REASONS:
        found = pattern.search(reason)
        if found:
            return ErrorCode(code, int(found[1]) - 1 if argument is None else argument, reason)
    return ErrorCode(TRIGGERED, 0, reason)
