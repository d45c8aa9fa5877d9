"""Requests to the board and its answers, repeated where characters are lost."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Sequence

from armtwin.errors import LinkError, ProtocolError, RefusedError
from armtwin.robots.servo.line import BytePort
from armtwin.robots.servo.messages import (
    AXES,
    VERSION,
    BoardCommand,
    BoardConfig,
    BoardStatus,
    CommandResult,
    unpack,
)
from armtwin.robots.servo.serial_frames import FrameReader, SerialFrame

ANSWER = 0x80
"""Bit that the board sets in the command of its answer (``REPLY`` in ``frames.h``)."""
START_UP = 4.0
"""Longest time until a restarted UNO answers [s]."""

REFUSALS = {
    CommandResult.UNKNOWN: "it does not know this command; load this version's firmware onto it",
    CommandResult.BAD_SIZE: "it expects another message; load the firmware of this version onto it",
    CommandResult.BEYOND_LIMIT: "a position lies beyond the limits that it was given",
    CommandResult.BUSY: "the arm is moving; stop it first",
    CommandResult.FULL: "its memory of positions is full; erase it first (reset)",
    CommandResult.EMPTY: "no position is saved there; save some first",
    CommandResult.BAD_VALUE: "a value is out of range",
}


class Board:
    """Sends requests to the board on a line.

    A request without an answer is repeated with the same number. The board executes a number once
    and repeats its answer, so nothing is done twice.
    """

    def __init__(self, line: BytePort, *, timeout: float = 0.3, attempts: int = 8) -> None:
        """Use a line.

        Args:
            line: byte stream to the board.
            timeout: longest wait for an answer [s].
            attempts: number of requests before giving up.
        """
        self.line = line
        self.timeout = timeout
        self.attempts = attempts
        self.repeats = 0
        self._number = random.randrange(256)

    def request(
        self, command: BoardCommand, payload: bytes = b"", *, attempts: int | None = None
    ) -> bytes:
        """Return the payload of the board's answer, without its result.

        Args:
            command: what to do.
            payload: its parameters.
            attempts: number of requests; the board's own if not given.

        Raises:
            RefusedError: the board refuses.
            LinkError: it does not answer.
        """
        self._number = (self._number + 1) % 256
        request = SerialFrame(self._number, command, payload)
        for attempt in range(attempts or self.attempts):
            self.repeats += attempt > 0
            self.line.write(request.encode())
            answer = self._wait(request)
            if answer is not None:
                return _accepted(command, answer.payload)
        raise LinkError(
            f"{self.line.name}: no answer to {command.name} in {attempts or self.attempts} "
            "attempts; is it the armtwin firmware at 9600 baud, and the cable sound?"
        )

    def _wait(self, request: SerialFrame) -> SerialFrame | None:
        """Return the answer to a request, or None if none comes in time."""
        reader, wanted = FrameReader(), (request.number, request.command | ANSWER)
        until = time.monotonic() + self.timeout
        while (left := until - time.monotonic()) > 0:
            for frame in reader.feed(self.line.read(left)):
                if (frame.number, frame.command) == wanted:
                    return frame
        return None

    def hello(self) -> None:
        """Wait until the board answers, and check its protocol version.

        Raises:
            LinkError: no answer.
            ProtocolError: another version, or another number of axes.
        """
        attempts = max(self.attempts, int(START_UP / self.timeout) + 1)
        version, axes, _ = unpack("<3B", self.request(BoardCommand.HELLO, attempts=attempts))
        if (version, axes) != (VERSION, AXES):
            raise ProtocolError(
                f"{self.line.name}: firmware version {version} with {axes} axes; this program "
                f"speaks version {VERSION} with {AXES}: load its firmware onto the board"
            )

    def status(self) -> BoardStatus:
        """Return the board's status."""
        return BoardStatus.decode(self.request(BoardCommand.STATUS))

    def move(self, position: Sequence[int], least_ms: int = 0) -> float:
        """Start a motion of all axes to a position (6,) [ticks], 0 to stay; return its time [s]."""
        payload = struct.pack("<7H", *position, min(least_ms, 0xFFFF))
        return unpack("<H", self.request(BoardCommand.MOVE, payload))[0] / 1000

    def jog(self, axis: int, speed: int) -> None:
        """Move one axis at a speed [ticks/s] until the next jog; speed 0 ends it smoothly."""
        self.request(BoardCommand.JOG, struct.pack("<Bh", axis, speed))

    def stop(self) -> None:
        """Stop all axes at once."""
        self.request(BoardCommand.STOP)

    def run(self, rounds: int = 1, percent: int = 100, *, alone: bool = False) -> None:
        """Run the saved positions (0 rounds: without end), or continue after a pause.

        Args:
            rounds: number of rounds; 0 without end.
            percent: of the top speeds, 1 to 100.
            alone: without watchdog; this host may disconnect.
        """
        self.request(BoardCommand.RUN, struct.pack("<3B", rounds, percent, alone))

    def pause(self) -> None:
        """Pause the program where it is."""
        self.request(BoardCommand.PAUSE)

    def save(self) -> int:
        """Save the current position; return the number of saved positions."""
        return unpack("<B", self.request(BoardCommand.SAVE))[0]

    def erase(self) -> None:
        """Stop, and erase the saved positions."""
        self.request(BoardCommand.ERASE)

    def relax(self) -> None:
        """Stop, and switch the servos off."""
        self.request(BoardCommand.RELAX)

    def step(self, index: int) -> tuple[int, ...]:
        """Return a saved position (6,) [ticks], counted from 0."""
        return unpack("<6H", self.request(BoardCommand.STEP, bytes([index])))

    def configure(self, config: BoardConfig) -> bool:
        """Send a configuration unless the board has it; return whether it was sent.

        Raises:
            ProtocolError: the board has another configuration afterwards.
        """
        if self.status().config_check == config.check:
            return False
        for axis, values in enumerate(config.axes):
            self.request(BoardCommand.AXIS, bytes([axis]) + values.encode())
        self.request(BoardCommand.GENERAL, config.general())
        if self.status().config_check != config.check:
            raise ProtocolError(f"{self.line.name}: the board did not take its configuration")
        return True


def _accepted(command: BoardCommand, payload: bytes) -> bytes:
    if not payload:
        raise ProtocolError(f"an empty answer to {command.name}")
    if payload[0] == CommandResult.OK:
        return payload[1:]
    known = payload[0] in set(CommandResult)
    why = REFUSALS[CommandResult(payload[0])] if known else f"result {payload[0]} is unknown here"
    raise RefusedError(f"the board refuses {command.name}: {why}")
