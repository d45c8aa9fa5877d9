"""Ports that speak text, and those with an answer to every line: dashboard, interpreter mode."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import cast

from armtwin.robots.ur_controller.ports.dashboard import Answer, ClientQuit
from armtwin.robots.ur_controller.ports.intake import Inbox, Intake, Step
from armtwin.robots.ur_controller.ports.outbox import Outbox

LONGEST_LINE = 4096
"""Bytes of a line; a client that sends more without a line end is dropped."""
LONGEST_SCRIPT = 1 << 20
"""Bytes of an unfinished script; a client that sends more is dropped (``script_port``)."""
MAX_CLIENTS = 64
"""Connections to one port; more are closed at once."""
MAX_UNREAD = 1 << 16
"""Bytes of answers that a client may leave unread."""
UNFINISHED = 30.0
"""A client whose line or program stays unfinished for so long is dropped [s]."""
KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""TCP keep-alive of a silent client: after 15 s, three times [s]."""


class TextPort(asyncio.Protocol):
    """A connection that speaks lines.

    Args:
        clients: the connections of this port, which a new one joins.
        intake: shares the time of a control cycle among the robot's clients.
    """

    def __init__(self, clients: set[TextPort], intake: Intake) -> None:
        self._clients, self._intake = clients, intake
        self._transport: asyncio.Transport | None = None
        self._inbox: Inbox | None = None
        self._outbox: Outbox | None = None
        self._finished = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the clients, unless there are too many."""
        self._transport = cast(asyncio.Transport, transport)
        if len(self._clients) >= MAX_CLIENTS:
            self._transport.abort()
            return
        detect_lost_client(self._transport)
        self._inbox = Inbox(self._intake, self._timed, self._transport)
        self._outbox = Outbox(self._transport)
        self._clients.add(self)
        self.greet()

    def connection_lost(self, error: Exception | None) -> None:
        """Leave the clients; what has come before the connection broke is still worked on."""
        if error is not None:
            self._read_rest()
        self._clients.discard(self)
        self._intake.deadlines.cancel(self)

    def resume_writing(self) -> None:
        """Send what was gathered while the client did not read."""
        if self._outbox is not None:
            self._outbox.flush()

    def _read_rest(self) -> None:
        """Read what lies in the socket: a client that sends and goes without reading resets it."""
        sock = self._transport.get_extra_info("socket") if self._transport is not None else None
        with contextlib.suppress(OSError):
            while sock is not None and (data := os.read(sock.fileno(), LONGEST_SCRIPT)):
                self.data_received(data)

    def greet(self) -> None:
        """Send the greeting, on ports that have one."""

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        if self._inbox is not None:
            self._inbox.feed(data)

    @abstractmethod
    def work(self, data: bytes) -> Iterator[Step]:
        """Work on what has come, in short steps."""

    @property
    @abstractmethod
    def unfinished(self) -> int:
        """Bytes of a line or program whose end has not come."""

    def _timed(self, data: bytes) -> Iterator[Step]:
        """Work on what has come; a text that stays unfinished ends the connection."""
        before = self._finished
        yield from self.work(data)
        deadlines = self._intake.deadlines
        if self._finished != before or not self.unfinished:
            deadlines.cancel(self)
        if self.unfinished and self in self._clients and self not in deadlines:
            deadlines.start(self, UNFINISHED, self.expire)

    def expire(self) -> None:
        """Close the connection of a client whose text stays unfinished."""
        self.drop()

    def drop(self) -> None:
        """Close the connection and forget what has come."""
        if self._inbox is not None:
            self._inbox.close()
        if self._transport is not None:
            self._transport.abort()

    def reply(self, text: str) -> None:
        """Send a line; a client that does not read its answers is dropped."""
        self.send(text.encode() + b"\n")

    def send(self, data: bytes) -> None:
        """Send bytes; a client that does not read its answers is dropped."""
        if self._outbox is None:
            return
        if self._outbox.size > MAX_UNREAD:
            self.drop()
        else:
            self._outbox.write(data)


def detect_lost_client(transport: asyncio.Transport) -> None:
    """Let the system close a connection whose client is gone (TCP keepalive)."""
    sock = transport.get_extra_info("socket")
    if sock is None:
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class LinePort(TextPort):
    """A connection with one answer to every line.

    Args:
        clients: the connections of this port.
        intake: shares the time of a control cycle among the robot's clients.
        answer: returns the answer to a line, or a generator that does; or raises ClientQuit.
        greeting: sent to a new client; nothing if empty.
    """

    def __init__(
        self,
        clients: set[TextPort],
        intake: Intake,
        answer: Callable[[str], Answer],
        greeting: str = "",
    ) -> None:
        super().__init__(clients, intake)
        self._line_answer, self._greeting, self._rest = answer, greeting, b""

    def greet(self) -> None:
        """Send the greeting."""
        if self._greeting:
            self.reply(self._greeting)

    def work(self, data: bytes) -> Iterator[Step]:
        """Answer every whole line; bytes that are no text become question marks."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._finished += 1
            words = line[:LONGEST_LINE].decode("utf-8", "replace").strip()
            if words and not (yield from self._answer(words)):
                return
            yield None
        if len(self._rest) > LONGEST_LINE:
            self.drop()

    @property
    def unfinished(self) -> int:
        """Bytes of a line whose end has not come."""
        return len(self._rest)

    def _answer(self, words: str) -> Generator[Step, None, bool]:
        """Answer a line; a generator that returns whether the client stays."""
        try:
            answer = self._line_answer(words)
            self.reply(answer if isinstance(answer, str) else (yield from answer))
        except ClientQuit as goodbye:
            self.reply(goodbye.answer)
            if self._inbox is not None:
                self._inbox.close()
            if self._outbox is not None:
                self._outbox.close()
            return False
        return True
