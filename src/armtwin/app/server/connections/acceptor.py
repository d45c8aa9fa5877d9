"""Accepts connections and starts those that stop the robot before all others.

A connection with a transport and an HTTP parser costs ten times as much as a bare socket. So a new
connection stays a bare socket until its client has sent something, and of those that have, only
few are started between two steps of the event loop, except for STOP.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Callable
from typing import Any

from armtwin.app.server.connections.pool import ConnectionPool
from armtwin.app.server.connections.protocols import MAX_SILENT
from armtwin.app.server.gate import NEVER_DELAYED

ACCEPTED = 64
"""Connections that are accepted between two steps of the event loop."""
STARTED = 4
"""Connections that are started between two steps, besides those that stop the robot."""
RETRY = 0.1
"""Pause where the system has no file or memory for a connection and none can be closed [s]."""
STOPS = tuple(f"POST {path}".encode("ascii") for path in NEVER_DELAYED)
"""First bytes of the requests that stop the robot; a query may follow."""
LONGEST_STOP = max(map(len, STOPS))


class Acceptor:
    """Accepts the connections of one bound socket, in the running event loop.

    Args:
        listener: a listening socket.
        protocol: makes the protocol of a connection.
        limit: largest number of connections whose clients have sent nothing.
    """

    def __init__(
        self,
        listener: socket.socket,
        protocol: Callable[[], asyncio.Protocol],
        limit: int = MAX_SILENT,
    ) -> None:
        self._listener, self._protocol = listener, protocol
        self._loop = asyncio.get_running_loop()
        self._silent = ConnectionPool(limit)
        self._waiting: deque[SilentConnection] = deque()
        self._starting: set[asyncio.Task[Any]] = set()
        self._closed = False
        listener.setblocking(False)
        self._listen()

    def close(self) -> None:
        """Accept and start no more; close the connections that were not started."""
        self._closed = True
        self._loop.remove_reader(self._listener)
        while len(self._silent):
            self._silent.close_one()

    def _listen(self) -> None:
        if not self._closed:
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        for _ in range(ACCEPTED):
            try:
                accepted, peer = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError:
                self._make_room()
                return
            accepted.setblocking(False)
            silent = SilentConnection(accepted, peer, self._loop)
            self._silent.admit(silent)
            self._read_first(silent)

    def _make_room(self) -> None:
        """Close a silent connection where the system has no file or memory left, or pause."""
        if len(self._silent):
            self._silent.close_one()
        else:
            self._loop.remove_reader(self._listener)
            self._loop.call_later(RETRY, self._listen)

    def _read_first(self, silent: SilentConnection) -> None:
        """Start a connection, now if it stops the robot, or close it if its client has gone."""
        first = silent.first_bytes()
        if first is None:
            self._loop.add_reader(silent.file, self._read_first, silent)
        elif not first:
            self._silent.forget(silent)
            silent.abort()
        elif first.startswith(STOPS):
            self._start(silent)
        else:
            self._loop.remove_reader(silent.file)
            self._waiting.append(silent)
            if len(self._waiting) == 1:
                self._loop.call_soon(self._start_some)

    def _start_some(self) -> None:
        left = STARTED
        while self._waiting and left:
            left -= self._start(self._waiting.popleft())
        if self._waiting:
            self._loop.call_soon(self._start_some)

    def _start(self, silent: SilentConnection) -> bool:
        """Give a connection a transport and a protocol, unless it was closed meanwhile."""
        if silent.closed:
            return False
        self._silent.forget(silent)
        self._loop.remove_reader(silent.file)
        task = self._loop.create_task(self._connect(silent.socket))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        return True

    async def _connect(self, accepted: socket.socket) -> None:
        with contextlib.suppress(OSError):  # its client has gone
            await self._loop.connect_accepted_socket(self._protocol, accepted)


class SilentConnection:
    """An accepted connection without a transport.

    Args:
        accepted: its socket.
        peer: its client's address.
        loop: the event loop that reads it.
    """

    __slots__ = ("_loop", "_peer", "closed", "file", "socket")

    def __init__(self, accepted: socket.socket, peer: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.socket, self._peer, self._loop = accepted, peer, loop
        self.file = accepted.fileno()  # event loops take long to find a socket by itself
        self.closed = False

    def get_extra_info(self, name: str) -> Any:
        """Return the client's address as ``peername``."""
        return self._peer if name == "peername" else None

    def first_bytes(self) -> bytes | None:
        """Return what a request begins with, without taking it.

        Returns:
            The bytes, none of them if the client has gone, None if it has sent nothing yet.
        """
        try:
            return self.socket.recv(LONGEST_STOP, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""

    def abort(self) -> None:
        """Close it."""
        self.closed = True
        self._loop.remove_reader(self.file)
        self.socket.close()
