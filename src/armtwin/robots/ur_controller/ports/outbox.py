"""Bytes on their way to a client."""

from __future__ import annotations

import asyncio
import os
import sys


class Outbox:
    """Hands bytes to a transport one piece at a time, and gathers the others.

    From Python 3.12 on a transport keeps every piece that was written, and walks over all of them
    whenever it is asked how much waits, which each further write does. Small answers to a client
    that does not read them would take ever more of the control cycle's time.

    The protocol of the transport calls ``flush`` in its ``resume_writing``.

    Args:
        transport: of the connection.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._gathered = transport, bytearray()
        sock = transport.get_extra_info("socket")
        known = sock is not None and sys.platform != "win32"
        self._descriptor = sock.fileno() if known else None
        transport.set_write_buffer_limits(high=0)  # resume_writing is called when nothing waits

    @property
    def size(self) -> int:
        """Number of bytes that wait for the client."""
        return self._transport.get_write_buffer_size() + len(self._gathered)

    def write(self, data: bytes) -> None:
        """Send bytes after those that wait; nothing if the connection is closing."""
        if self._transport.is_closing():
            return
        if self.size:
            self._gathered += data
        else:
            self._transport.write(data)

    def write_now(self, data: bytes) -> None:
        """Hand bytes to the system at once; what it does not take waits.

        The transport does the same with more work, which counts with 100 clients. Only allowed
        while nothing waits.
        """
        taken = 0
        if self._descriptor is not None and not self._transport.is_closing():
            try:
                taken = os.write(self._descriptor, data)
            except BlockingIOError:
                pass
            except OSError:
                self._transport.abort()
                return
        if taken < len(data):
            self.write(data[taken:])

    def flush(self) -> None:
        """Hand over what was gathered."""
        if self._gathered and not self._transport.is_closing():
            data, self._gathered = bytes(self._gathered), bytearray()
            self._transport.write(data)

    def close(self) -> None:
        """Close the connection once all that waits is sent."""
        self.flush()
        self._transport.close()
