"""Connections of the control process: bounded in number, and WebSockets in bytes a second.

These limits act before anything is parsed, so that a flood costs little.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from armtwin.app.server.token_bucket import TokenBucket

MAX_CONNECTIONS = 400
"""Open connections, far below the number of open files that a process may have."""
SOCKET_BYTES, SOCKET_BURST = 32_768.0, 65_536.0
"""Limits of one WebSocket: bytes a second, and at once. The app's own pages send about 4 kB a
second; a burst that a stalled network holds back for 10 s still passes."""
OPEN_FILES = 4096
_open: dict[asyncio.Transport, float] = {}
"""Open connections and the time of the last data from each."""


def allow_open_files() -> None:
    """Raise this process's limit of open files as far as it may, up to 4096."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def admit(transport: asyncio.Transport) -> None:
    """Count a connection; if there are too many, close the one silent for longest.

    So a new client, for example one that stops the robot, always gets in. A page in use sends every
    half second and is not the silent one.
    """
    if transport not in _open and len(_open) >= MAX_CONNECTIONS:
        silent = min(_open, key=_open.__getitem__)
        _open.pop(silent)
        silent.abort()
    _open[transport] = time.monotonic()


class HttpConnection(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """An HTTP connection that is counted."""

    def connection_made(self, transport: Any) -> None:
        """Count it."""
        admit(transport)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Note that it is in use."""
        if self.transport in _open:
            _open[self.transport] = time.monotonic()
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        _open.pop(self.transport, None)
        super().connection_lost(exc)


class SocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket that is cut when it sends more than its budget of bytes."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._budget = TokenBucket(SOCKET_BYTES, SOCKET_BURST)

    def data_received(self, data: bytes) -> None:
        """Take bytes, or cut the connection before they are parsed."""
        if self.transport in _open:
            _open[self.transport] = time.monotonic()
        if not self._budget.take(len(data)):
            self.transport.abort()
            return
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        _open.pop(self.transport, None)
        super().connection_lost(exc)


def quiet_logs() -> None:
    """Suppress the errors of connections that the ending server closes."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
