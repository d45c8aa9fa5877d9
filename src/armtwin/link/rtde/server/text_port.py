"""Ports that speak lines of text: the dashboard and the script ports."""

from __future__ import annotations

import asyncio
import re
from abc import abstractmethod
from typing import TYPE_CHECKING, cast

from armtwin.link.rtde.server.dashboard import Dashboard, Goodbye
from armtwin.link.rtde.server.script import run_script

if TYPE_CHECKING:
    from armtwin.link.rtde.server.controller import Controller

LONGEST_LINE = 4096
LONGEST_SCRIPT = 1 << 20
MOST_CLIENTS = 64
_HEAD = re.compile(rb"\s*(def|sec|thread)\s+\w+\s*\(")
_END = re.compile(rb"^end[ \t\r]*\n", re.MULTILINE)


class TextPort(asyncio.Protocol):
    """A connection that speaks lines.

    Args:
        clients: the connections of this port, which a new one joins.
    """

    def __init__(self, clients: set[TextPort]) -> None:
        self._clients = clients
        self._transport: asyncio.Transport | None = None
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the clients, unless there are too many."""
        self._transport = cast(asyncio.Transport, transport)
        if len(self._clients) >= MOST_CLIENTS:
            self._transport.abort()
            return
        self._clients.add(self)
        self.greet()

    def connection_lost(self, error: Exception | None) -> None:
        """Leave the clients."""
        self._clients.discard(self)

    def greet(self) -> None:
        """Say hello, on ports that do."""

    @abstractmethod
    def data_received(self, data: bytes) -> None:
        """Take what has come."""

    def drop(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.abort()

    def reply(self, text: str) -> None:
        """Send a line; a client that does not read its answers is dropped."""
        if self._transport is None or self._transport.is_closing():
            return
        if self._transport.get_write_buffer_size() > 1 << 16:
            self.drop()
            return
        self._transport.write(text.encode() + b"\n")


class DashboardPort(TextPort):
    """A connection to the dashboard: one answer to every line."""

    def __init__(self, clients: set[TextPort], dashboard: Dashboard) -> None:
        super().__init__(clients)
        self._dashboard = dashboard

    def greet(self) -> None:
        """Say what this is; clients wait for it."""
        self.reply("Connected: Universal Robots Dashboard Server")

    def data_received(self, data: bytes) -> None:
        """Answer every whole line; bytes that are no text become question marks."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        try:
            for line in lines:
                words = line[:LONGEST_LINE].decode("utf-8", "replace").strip()
                if words:
                    self.reply(self._dashboard.answer(words))
        except Goodbye:
            self.reply("Disconnected")
            if self._transport is not None:
                self._transport.close()
        if len(self._rest) > LONGEST_LINE:
            self.drop()


class ScriptPort(TextPort):
    """A connection to a script port: programs from ``def`` to ``end``, and single lines."""

    def __init__(self, clients: set[TextPort], controller: Controller) -> None:
        super().__init__(clients)
        self._controller = controller

    def data_received(self, data: bytes) -> None:
        """Run every program and line that is complete now."""
        self._rest += data
        while (cut := complete(self._rest)) is not None:
            text, self._rest = self._rest[:cut], self._rest[cut:]
            run_script(self._controller, text.decode("utf-8", "replace"))
        if len(self._rest) > LONGEST_SCRIPT:
            self.drop()


def complete(data: bytes) -> int | None:
    """Return where the first whole program or line ends; None where there is none yet."""
    stripped = len(data) - len(data.lstrip())
    if _HEAD.match(data):
        found = _END.search(data, stripped)
        return found.end() if found else None
    end = data.find(b"\n", stripped)
    return None if end < 0 else end + 1
