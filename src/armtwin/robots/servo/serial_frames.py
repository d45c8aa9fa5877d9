"""Frames of the serial line, the same as in firmware/armtwin_servo/frames.h.

A frame is ``START``, every byte as two characters 0x20...0x2F (high half first), ``END``. Its
bytes are: number, command, payload, CRC-16 of all before it (low byte first). No character of a
frame means anything in a phone dialect, so a broken frame cannot become a phone's command.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass

from armtwin.errors import InputError

START, END = 0xFA, 0xFB
"""Begin and end of a frame: outside 0x20...0x2F, so that they occur nowhere else in it."""
MAX_BYTES = 32
"""The longest frame, before each byte becomes two characters."""

_HEAD, _CHECK = 2, 2
"""Bytes before the payload (number, command) and of the CRC."""


@dataclass(frozen=True)
class SerialFrame:
    """A numbered command, or its answer (command + 0x80 with the same number)."""

    number: int
    command: int
    payload: bytes = b""

    def __post_init__(self) -> None:
        """Raise InputError for values that do not fit."""
        if not (0 <= self.number <= 255 and 0 <= self.command <= 255):
            raise InputError(f"number {self.number} and command {self.command} must fit in a byte")
        if len(self.payload) > MAX_BYTES - _HEAD - _CHECK:
            raise InputError(f"a frame carries {MAX_BYTES - _HEAD - _CHECK} bytes at most")

    def encode(self) -> bytes:
        """Return the characters to send."""
        head = bytes([self.number, self.command]) + self.payload
        body = head + crc16(head).to_bytes(2, "little")
        halves = (0x20 | half for byte in body for half in (byte >> 4, byte & 15))
        return bytes([START, *halves, END])


def crc16(data: bytes) -> int:
    """Return the CRC-16 (CCITT: polynomial 0x1021, start 0xFFFF) of some bytes."""
    return binascii.crc_hqx(data, 0xFFFF)


class FrameReader:
    """Finds the valid frames in a stream of characters; all else is dropped and counted.

    Attributes:
        bad: frames begun and not finished, or with a wrong checksum.
    """

    def __init__(self) -> None:
        self.bad = 0
        self._halves: bytearray | None = None

    def feed(self, data: bytes) -> list[SerialFrame]:
        """Return the frames that these characters complete."""
        return [frame for character in data if (frame := self._take(character)) is not None]

    def _take(self, character: int) -> SerialFrame | None:
        if character == START:
            self.bad += self._halves is not None
            self._halves = bytearray()
        elif self._halves is None:
            return None
        elif character == END:
            halves, self._halves = self._halves, None
            return self._finish(bytes(halves))
        elif character & 0xF0 == 0x20 and len(self._halves) < 2 * MAX_BYTES:
            self._halves.append(character & 15)
        else:
            self.bad += 1
            self._halves = None
        return None

    def _finish(self, halves: bytes) -> SerialFrame | None:
        body = bytes(high << 4 | low for high, low in zip(halves[::2], halves[1::2], strict=False))
        head, check = body[:-_CHECK], int.from_bytes(body[-_CHECK:], "little")
        if len(halves) % 2 or len(head) < _HEAD or crc16(head) != check:
            self.bad += 1
            return None
        return SerialFrame(head[0], head[1], head[_HEAD:])
