"""Robot messages of the primary interface, and the version message.

A robot message is ``uint64 time [us], int8 source, uint8 type, body`` in a message of type 20.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from armtwin.robots.ur.protocol.codec import Level, TextMessage
from armtwin.robots.ur.protocol.fields import Version
from armtwin.robots.ur_controller.state.events import (
    LabelReached,
    PopupShown,
    ProgramPaused,
    ProgramResumed,
    ProgramStarted,
    ProgramStopped,
    Report,
    RuntimeException,
)
from armtwin.robots.ur_controller.state.modes import SafetyMode
from armtwin.robots.ur_controller.streams.packing import (
    ROBOT_MESSAGE,
    framed,
    is_since,
    microseconds,
)

TEXT, LABEL, POPUP, VERSION, SAFETY_MODE, ERROR_CODE, KEY, EXCEPTION = 0, 1, 2, 3, 5, 6, 7, 10
HARDWARE = 18
"""Types of robot messages."""
INTERFACE, REAL_TIME = -2, -3
"""Sources: the robot interface, and the process that runs programs."""
PROJECT, BUILD_DATE = b"URControl", b"01-01-2026, 00:00:00"
WARNING = 2
"""Report level; 3 is a violation and 4 a fault."""
UNSIGNED = 1
"""Type of a report's datum, which is 0 here."""
LONGEST_TEXT, LONGEST_NAME = 1024, 255
"""Bytes of a text, and of a name, whose length is a uint8."""
CONTROL_BOX, TOOL_FLANGE = 5, 1
"""Of an e-Series robot."""
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


def version_message(version: Version) -> bytes:
    """Return what a client gets first: project name, version and date of the build."""
    body = bytes([len(PROJECT)]) + PROJECT + bytes(number & 0xFF for number in version[:2])
    numbers = version[2:] if is_since(version, (3, 3)) else version[3:]
    body += struct.pack(f">{len(numbers)}i", *numbers)
    return robot_message(0.0, INTERFACE, VERSION, body + BUILD_DATE)


def hardware_message(version: Version, robot_type: int) -> bytes:
    """Return robot type, control box and flange; nothing before 5.26 and 10.14.

    Args:
        version: the controller's.
        robot_type: UR's number of the robot.
    """
    if not is_since(version, (5, 26), (10, 14)):
        return b""
    body = struct.pack(">iHHHH", robot_type, 0, CONTROL_BOX, 0, TOOL_FLANGE)
    return robot_message(0.0, INTERFACE, HARDWARE, body)


def robot_message(clock: float, source: int, kind: int, body: bytes) -> bytes:
    """Return a robot message.

    Args:
        clock: the controller's time [s].
        source: which part of the controller sends it.
        kind: its type.
        body: what follows its head.
    """
    return framed(ROBOT_MESSAGE, struct.pack(">QbB", microseconds(clock), source, kind) + body)


def safety_mode_message(clock: float, mode: SafetyMode) -> bytes:
    """Return the message of a new safety mode."""
    body = struct.pack(">iiBII", 0, 0, mode, UNSIGNED, 0)
    return robot_message(clock, INTERFACE, SAFETY_MODE, body)


def report_message(report: Report, clock: float) -> bytes:
    """Return the message of what the controller reports; nothing for what has none.

    Args:
        report: what has happened.
        clock: the controller's time [s].
    """
    if isinstance(report, ProgramStarted):
        return _key(clock, b"PROGRAM_XXX_STARTED", report.name)
    if isinstance(report, ProgramStopped):
        return _key(clock, b"PROGRAM_XXX_STOPPED", report.name)
    if isinstance(report, ProgramPaused | ProgramResumed):
        return b""
    if isinstance(report, LabelReached):
        body = struct.pack(">i", report.number) + _text(report.text)
        return robot_message(clock, REAL_TIME, LABEL, body)
    if isinstance(report, RuntimeException):
        body = struct.pack(">ii", report.line, report.column) + _text(report.text)
        return robot_message(clock, REAL_TIME, EXCEPTION, body)
    return _popup(report, clock) if isinstance(report, PopupShown) else _remark(report, clock)


def _remark(report: TextMessage, clock: float) -> bytes:
    """Return the message of a text.

    A protective stop has an error code instead and an exception its own message; warnings about
    the virtual robot itself go to clients of RTDE only.
    """
    if report.message.startswith(PROTECTIVE_STOP):
        error = protective_stop_code(report.message.removeprefix(PROTECTIVE_STOP))
        body = struct.pack(">iiiII", error.code, error.argument, WARNING, UNSIGNED, 0)
        return robot_message(clock, REAL_TIME, ERROR_CODE, body + _text(error.text))
    if report.level in (Level.EXCEPTION, Level.WARNING):
        return b""
    return robot_message(clock, REAL_TIME, TEXT, _text(report.message))


def _popup(report: PopupShown, clock: float) -> bytes:
    title = _text(report.title, LONGEST_NAME)
    flags = (report.kind == "warning", report.kind == "error", report.blocking)
    body = struct.pack(">II???B", 0, 0, *flags, len(title)) + title + _text(report.text)
    return robot_message(clock, REAL_TIME, POPUP, body)


def _key(clock: float, title: bytes, text: str) -> bytes:
    body = struct.pack(">iiB", 0, 0, len(title)) + title + _text(text)
    return robot_message(clock, INTERFACE, KEY, body)


def _text(text: str, longest: int = LONGEST_TEXT) -> bytes:
    return text.encode("utf-8", "replace")[:longest]


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
