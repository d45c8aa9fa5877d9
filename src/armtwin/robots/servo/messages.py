"""Messages between host and board; numbers as in firmware/armtwin_servo/commands.h.

Positions are servo pulse widths in ticks of half a microsecond, speeds are ticks per second.
"""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass
from enum import IntEnum

from armtwin.errors import InputError, ProtocolError
from armtwin.robots.servo.serial_frames import crc16

AXES = 6
"""Five joints and the gripper."""

VERSION = 1
"""Of the protocol, as in ``commands.h``; a board of another version is refused."""
TICKS_PER_US = 2
"""Ticks are half microseconds: the UNO's timer counts its clock of 16 MHz / 8."""
NARROWEST, WIDEST = 1000, 5000
"""The pulse widths that the board can make [ticks]."""

SLOWEST = 50
"""The lowest top speed that the board takes [ticks/s]: one tick a frame."""


class BoardCommand(IntEnum):
    """Commands of the host."""

    HELLO = 1
    STATUS = 2
    MOVE = 3
    JOG = 4
    STOP = 5
    RUN = 6
    PAUSE = 7
    SAVE = 8
    ERASE = 9
    AXIS = 10
    GENERAL = 11
    STEP = 12
    RELAX = 13


class CommandResult(IntEnum):
    """Results in the board's answers."""

    OK = 0
    UNKNOWN = 1
    BAD_SIZE = 2
    BEYOND_LIMIT = 3
    BUSY = 4
    FULL = 5
    EMPTY = 6
    BAD_VALUE = 7


class Mode(IntEnum):
    """Mode of the arm."""

    HOLDING = 0
    MOVING = 1
    FOLLOWING = 2
    RUNNING = 3
    PAUSED = 4


class Reason(IntEnum):
    """Why the arm last came to rest."""

    NONE = 0
    ARRIVED = 1
    STOPPED = 2
    WATCHDOG = 3


@dataclass(frozen=True)
class BoardStatus:
    """The board's answer to STATUS.

    Attributes:
        mode: of the arm.
        reason: why it last came to rest.
        switched_on: whether the servos get pulses; not so after power-up or a restart.
        writing: whether the EEPROM is still being written.
        phones: whether phone dialects are accepted.
        default_config: whether no limits were ever set.
        steps: number of saved positions.
        step: the one the program is moving to, from 0.
        config_check: CRC-16 of its configuration.
        bad_frames: frames it dropped since its start.
        position: where the axes are commanded to be (6,) [ticks].
    """

    mode: Mode
    reason: Reason
    switched_on: bool
    writing: bool
    phones: bool
    default_config: bool
    steps: int
    step: int
    config_check: int
    bad_frames: int
    position: tuple[int, ...]

    @classmethod
    def decode(cls, payload: bytes) -> BoardStatus:
        """Return the status in an answer's payload (without its result)."""
        mode, reason, flags, steps, step, check, bad, *position = unpack("<5B2H6H", payload)
        try:
            known = Mode(mode), Reason(reason)
        except ValueError as error:
            raise ProtocolError(f"the board's status is not understood: {error}") from error
        on, writing, phones, default = (bool(flags & 1 << n) for n in range(4))
        bits = on, writing, phones, default
        return cls(*known, *bits, steps, step, check, bad, tuple(position))


def unpack(layout: str, payload: bytes) -> tuple[int, ...]:
    """Return the numbers in an answer's payload."""
    try:
        return struct.unpack(layout, payload)
    except struct.error as error:
        raise ProtocolError(f"an answer of {len(payload)} bytes is not {layout}: {error}") from None


@dataclass(frozen=True)
class AxisConfig:
    """Configuration of an axis [ticks, ticks/s].

    Attributes:
        low: its lower limit.
        high: its upper limit.
        at_zero: where the 0 degrees of a phone lie.
        at_half_turn: where its 180 degrees lie; below ``at_zero`` on an inverted mount.
        home: where the axis is switched on.
        speed: the fastest that it is moved.
    """

    low: int
    high: int
    at_zero: int
    at_half_turn: int
    home: int
    speed: int

    def __post_init__(self) -> None:
        """Raise InputError for values that the board refuses."""
        if not NARROWEST <= self.low <= self.home <= self.high <= WIDEST or self.low == self.high:
            raise InputError(
                f"a servo's low <= home <= high must lie in {NARROWEST}...{WIDEST} ticks of 0.5 us "
                f"(0.5 to 2.5 ms), got {self.low}, {self.home}, {self.high}"
            )
        if not SLOWEST <= self.speed <= 0xFFFF:
            raise InputError(f"a servo's top speed is {SLOWEST}...65535 ticks/s, got {self.speed}")
        ends = {self.at_zero, self.at_half_turn}
        if len(ends) < 2 or not 0 <= min(ends) <= max(ends) <= WIDEST:
            raise InputError(f"0 and 180 degrees of a phone need two pulse widths, got {ends}")

    def encode(self) -> bytes:
        """Return the bytes as the board keeps them."""
        return struct.pack("<6H", *astuple(self))


@dataclass(frozen=True)
class BoardConfig:
    """Configuration of the board: six axes, watchdog [ms], phones allowed."""

    axes: tuple[AxisConfig, ...]
    watchdog_ms: int = 1000
    phones: bool = True

    def general(self) -> bytes:
        """Return the bytes that belong to no axis."""
        return struct.pack("<HB", self.watchdog_ms, int(self.phones))

    @property
    def check(self) -> int:
        """The CRC-16 that the board computes of the same configuration."""
        return crc16(b"".join(axis.encode() for axis in self.axes) + self.general())
