"""Connections of the control process: bounded in number, and WebSockets in bytes a second.

These limits act before anything is parsed, so that a flood costs little.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from armtwin.app.server.token_bucket import TokenBucket

MAX_CONNECTIONS = 400
"""Open connections, far below the number of open files that a process may have."""
SOCKET_BYTES, SOCKET_BURST = 32_768.0, 65_536.0
"""Limits of one WebSocket: bytes a second, and at once. The app's own pages send about 4 kB a
second; a burst that a stalled network holds back for 10 s still passes."""
OPEN_FILES = 4096
"""Limit of open files that is requested: ten times ``MAX_CONNECTIONS``, since a forwarded
connection takes two and other files are open as well."""
WRITE = "armtwin.write"
"""ASGI extension of a WebSocket: a function that sends a text that many clients get."""
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


@functools.lru_cache(maxsize=1)
def text_frame(text: str) -> bytes:
    """Return the WebSocket frame of a text; made once for all clients that get the same one."""
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


class SocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket that is cut when it sends more than its budget of bytes.

    Its scope has the extension ``WRITE``: a text that all clients get is framed once and written
    without a task, a queue or the layers of the app between, which cost more than the sending.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._budget = TokenBucket(SOCKET_BYTES, SOCKET_BURST)

    def handle_connect(self, event: Request) -> None:
        """Offer the extension to the app, which starts afterwards."""
        super().handle_connect(event)
        if self.response.status_code == 101:
            self.scope["extensions"][WRITE] = {"write": self.write}

    def write(self, text: str) -> bool:
        """Send a text at once; return False if the client has not yet taken what came before."""
        ready = self.handshake_complete and self.writable.is_set()
        if not ready or self.disconnected or self.close_sent or self.transport.is_closing():
            return False
        self.transport.write(text_frame(text))
        return True

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
