"""The serial port, with pyserial."""

from __future__ import annotations

import contextlib
from typing import Any, Protocol

from armtwin.errors import LinkError
from armtwin.extras import message

BAUD = 9600
"""Rate of the board's serial line [baud], over USB or a Bluetooth module (docs/servo_arm.md)."""


class BytePort(Protocol):
    """A byte stream to and from a board."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def read(self, seconds: float) -> bytes:
        """Return received bytes; wait up to ``seconds`` for the first one."""

    def close(self) -> None:
        """Close it."""


class SerialLine:
    """A serial port at 9600 baud, 8 data bits, no parity, 1 stop bit.

    Opening a port restarts an UNO, and its servos go limp. So DTR stays up when the port is
    closed, and only the first opening after plugging in restarts the board.
    """

    def __init__(self, port: str) -> None:
        """Open a port exclusively.

        Raises:
            LinkError: pyserial is missing, or the port cannot be opened.
        """
        try:
            import serial
        except ImportError as error:
            raise LinkError(message("a serial port", ["serial"])) from error
        try:
            self._port: Any = serial.Serial(
                port, BAUD, timeout=0.0, write_timeout=2.0, exclusive=True
            )
        except (OSError, ValueError) as error:
            raise LinkError(f"serial port {port!r} cannot be opened: {error}; {_found()}") from None
        self._name = port
        _stay_up(self._port)

    @property
    def name(self) -> str:
        """The port."""
        return self._name

    def write(self, data: bytes) -> None:
        """Send bytes.

        Raises:
            LinkError: the port is disconnected.
        """
        try:
            self._port.write(data)
        except (OSError, TypeError) as error:
            raise self._gone(error) from None

    def read(self, seconds: float) -> bytes:
        """Return received bytes; wait up to ``seconds`` for the first one.

        Raises:
            LinkError: the port is disconnected.
        """
        try:
            self._port.timeout = seconds
            first = bytes(self._port.read(1))
            return first + bytes(self._port.read(self._port.in_waiting)) if first else first
        except (OSError, TypeError) as error:
            raise self._gone(error) from None

    def close(self) -> None:
        """Close the port."""
        with contextlib.suppress(OSError):
            self._port.close()

    def _gone(self, error: Exception) -> LinkError:
        return LinkError(
            f"serial port {self._name!r} is disconnected: {error}; plug the board in again"
        )


def _stay_up(port: Any) -> None:
    """Keep DTR up when the port is closed, where the system can."""
    with contextlib.suppress(ImportError, OSError):
        import termios

        with contextlib.suppress(termios.error):
            settings = termios.tcgetattr(port.fileno())
            settings[2] &= ~termios.HUPCL
            termios.tcsetattr(port.fileno(), termios.TCSANOW, settings)


def _found() -> str:
    from serial.tools.list_ports import comports

    names = ", ".join(port.device for port in comports())
    return f"ports here: {names}" if names else "no serial port is here; plug the board in"
