"""Connections of the control process: bounded in number, and WebSockets in bytes a second.

These limits act before anything is parsed, so that a flood costs little.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from typing import Any
from urllib.parse import parse_qs

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from armtwin.app.server.connections.pool import ConnectionPool
from armtwin.app.server.token_bucket import TokenBucket

MAX_CONNECTIONS = 400
"""Open connections, far below the number of open files that a process may have."""
MAX_SILENT = 1000
"""Connections whose clients have sent nothing yet."""
SOCKET_BYTES, SOCKET_BURST = 32_768.0, 65_536.0
"""Limits of one WebSocket: bytes a second, and at once. The app's own pages send about 4 kB a
second; a burst that a stalled network holds back for 10 s still passes."""
OPEN_FILES = 4096
"""Limit of open files that is requested: more than ``MAX_CONNECTIONS`` and ``MAX_SILENT``, since a
forwarded connection takes two and other files are open as well."""
WRITE = "armtwin.write"
"""ASGI extension of a WebSocket: a function that sends a text that many clients get."""
SILENT = logging.getLogger("armtwin.app.pipelined")
"""Logger of connections that are cut while they are parsed, which uvicorn reports as invalid."""
SILENT.setLevel(logging.CRITICAL + 1)


class PipelinedError(Exception):
    """Ends the parsing of a connection whose client does not wait for its answers."""


OPEN = ConnectionPool(MAX_CONNECTIONS)
"""The control process's connections whose clients have sent something."""


def allow_open_files() -> None:
    """Raise this process's limit of open files as far as it may, up to 4096."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class HttpConnection(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """An HTTP connection that is counted, and cut when it does not wait for its answers.

    No browser and no usual client sends a request before the last one is answered (pipelining).
    """

    def connection_made(self, transport: Any) -> None:
        """Count it."""
        OPEN.admit(transport)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Parse bytes, and note that the client has sent some."""
        OPEN.note(self.transport)
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Begin a request, or cut the connection, before it is parsed, where it comes too early."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.logger = SILENT
            self.transport.abort()
            raise PipelinedError
        super().on_message_begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        OPEN.forget(self.transport)
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
        query = parse_qs(event.path.partition("?")[2])
        OPEN.name(self.transport, query.get("client", [""])[0])
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
        OPEN.note(self.transport)
        if not self._budget.take(len(data)):
            self.transport.abort()
            return
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        OPEN.forget(self.transport)
        super().connection_lost(exc)


def quiet_logs() -> None:
    """Suppress the errors of connections that the ending server closes."""
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
