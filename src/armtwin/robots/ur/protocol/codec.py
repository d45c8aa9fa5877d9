"""RTDE on the wire: framing and messages as pure functions of bytes.

Every packet is ``uint16 size, uint8 type, payload``, big-endian, ``size`` counting the header.
Nothing here uses a socket. Any bytes give a message or a ProtocolError.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armtwin.errors import ProtocolError
from armtwin.robots.ur.protocol.fields import Version, split_names

PORT = 30004
"""Of RTDE on every UR controller."""
PROTOCOLS = (1, 2)
"""Versions of RTDE."""
LARGEST = 0xFFFF
"""Bytes of a packet: its size is a uint16."""
LONGEST_NAMES = 2048
"""Bytes of a recipe's list of names that a controller takes."""

_HEADER = struct.Struct(">HB")
_VERSION = struct.Struct(">4I")


class Type(enum.IntEnum):
    """Types of packets, by their letter."""

    PROTOCOL_VERSION = ord("V")
    CONTROLLER_VERSION = ord("v")
    TEXT = ord("M")
    DATA = ord("U")
    OUTPUTS = ord("O")
    INPUTS = ord("I")
    START = ord("S")
    PAUSE = ord("P")


class Level(enum.IntEnum):
    """Severity of a text message."""

    EXCEPTION = 0
    ERROR = 1
    WARNING = 2
    INFO = 3


@dataclass(frozen=True)
class TextMessage:
    """A text message from one side to the other."""

    message: str
    source: str = ""
    level: Level = Level.INFO


def packet(kind: int, payload: bytes = b"") -> bytes:
    """Return a whole packet."""
    size = _HEADER.size + len(payload)
    if size > LARGEST:
        raise ProtocolError(f"a packet of {size} bytes does not exist; {LARGEST} is the most")
    return _HEADER.pack(size, kind) + payload


class Framer:
    """Cuts a stream of bytes into packets, however the network has split or joined them.

    It never holds more than one unfinished packet, 65,535 bytes.
    """

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield type and payload of every packet that is complete with ``data``.

        Raises:
            ProtocolError: a size smaller than the header; the stream cannot be read on.
        """
        self._rest += data
        view, start, end = bytes(self._rest), 0, len(self._rest)
        try:
            while end - start >= _HEADER.size:
                size, kind = _HEADER.unpack_from(view, start)
                if size < _HEADER.size:
                    raise ProtocolError(f"a packet declares {size} bytes; the least is 3")
                if end - start < size:
                    break
                first, start = start + _HEADER.size, start + size
                yield kind, view[first:start]
        finally:
            del self._rest[:start]

    @property
    def coming(self) -> int | None:
        """Type of the unfinished packet; None before its header is there."""
        return self._rest[_HEADER.size - 1] if len(self._rest) >= _HEADER.size else None

    @property
    def waiting(self) -> int:
        """Bytes of the unfinished packet."""
        return len(self._rest)


def named_setup(names: Sequence[str], frequency: float | None, protocol: int) -> bytes:
    """Return the payload that sets up outputs.

    Args:
        names: of the fields.
        frequency: samples per second [Hz]; only in protocol 2.
        protocol: version, 1 or 2.
    """
    head = struct.pack(">d", frequency or 0.0) if protocol >= 2 else b""
    return head + ",".join(names).encode()


def read_setup_outputs(payload: bytes, protocol: int) -> tuple[float | None, list[str]]:
    """Return frequency (None in protocol 1) and names of a request for outputs."""
    if protocol < 2:
        return None, read_names(payload)
    if len(payload) < 8:
        raise ProtocolError(f"outputs are set up by 8 bytes and names; got {len(payload)} bytes")
    return struct.unpack_from(">d", payload)[0], read_names(payload[8:])


def read_names(payload: bytes) -> list[str]:
    """Return the names of a comma-separated list."""
    return split_names(_text(payload))


def setup_answer(recipe: int, types: Sequence[str], *, numbered: bool) -> bytes:
    """Return the payload that answers a setup.

    Args:
        recipe: number of the recipe.
        types: of the fields; NOT_FOUND for one that does not exist.
        numbered: whether the answer has the recipe's number; outputs of protocol 1 have none.
    """
    return (bytes([recipe]) if numbered else b"") + ",".join(types).encode()


def read_setup_answer(payload: bytes, *, numbered: bool) -> tuple[int, list[str]]:
    """Return recipe number (1 where there is none) and types of a setup's answer."""
    if numbered and not payload:
        raise ProtocolError("the answer to a setup is empty")
    return (payload[0], read_names(payload[1:])) if numbered else (1, read_names(payload))


def read_accepted(payload: bytes) -> bool:
    """Return the answer to a start, pause or version request."""
    if len(payload) < 1:
        raise ProtocolError("an answer of yes or no has one byte; got none")
    return payload[0] != 0


def protocol_request(protocol: int) -> bytes:
    """Return the payload that requests a protocol version."""
    return struct.pack(">H", protocol)


def read_protocol_request(payload: bytes) -> int:
    """Return the requested protocol version."""
    if len(payload) < 2:
        raise ProtocolError(f"a protocol version has 2 bytes; got {len(payload)}")
    return int.from_bytes(payload[:2], "big")


def controller_version(version: Version) -> bytes:
    """Return the payload with the controller's version."""
    return _VERSION.pack(*version)


def read_controller_version(payload: bytes) -> Version:
    """Return the controller's version; old ones leave out the build."""
    if len(payload) not in (12, 16):
        raise ProtocolError(f"a controller version has 16 bytes; got {len(payload)}")
    major, minor, bugfix, build = _VERSION.unpack(payload.ljust(16, b"\0"))
    return major, minor, bugfix, build


def text(message: TextMessage, protocol: int) -> bytes:
    """Return the payload of a text message; too long ones are cut."""
    if protocol < 2:
        return bytes([message.level]) + message.message.encode()[: LARGEST - 4]
    words, source = message.message.encode()[:255], message.source.encode()[:255]
    return bytes([len(words)]) + words + bytes([len(source)]) + source + bytes([message.level])


def read_text(payload: bytes, protocol: int) -> TextMessage:
    """Return a text message; bytes that are no text become question marks."""
    if protocol < 2:
        if not payload:
            raise ProtocolError("a text message of protocol 1 starts with its level; got nothing")
        return TextMessage(_text(payload[1:]), "", _level(payload[0]))
    words, rest = _counted(payload)
    source, rest = _counted(rest)
    if not rest:
        raise ProtocolError("a text message ends with its level; it is missing")
    return TextMessage(_text(words), _text(source), _level(rest[0]))


def _counted(payload: bytes) -> tuple[bytes, bytes]:
    """Return a string behind its length, and what follows it."""
    if not payload or len(payload) < 1 + payload[0]:
        raise ProtocolError(f"a text of {payload[0] if payload else 1} bytes is cut short")
    return payload[1 : 1 + payload[0]], payload[1 + payload[0] :]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _level(number: int) -> Level:
    return Level(min(number, Level.INFO))
