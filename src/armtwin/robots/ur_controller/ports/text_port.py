"""Ports that speak text: dashboard and interpreter mode by lines, and the script ports."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import socket
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import cast

from armtwin.robots.ur_controller.ports.dashboard import Answer, Goodbye
from armtwin.robots.ur_controller.ports.intake import Inbox, Intake, Step

LONGEST_LINE = 4096
LONGEST_SCRIPT = 1 << 20
MOST_TEXT_LINES = 20000
"""Lines of a program with empty ones and comments; more cannot be split within a few ms."""
MOST_CLIENTS = 64
UNFINISHED = 30.0
"""A client whose line or program stays unfinished for so long is dropped [s]."""
KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""TCP keep-alive of a silent client: after 15 s, three times [s]."""
_HEAD = re.compile(rb"\s*(?:def|sec|thread)\s+(\w+)\s*\(")
_CALL = re.compile(rb"\s*(\w+)\s*\(\s*\)\s*")
_END = re.compile(rb"end[ \t\r]*$")
_SPEED = re.compile(rb"\s*speed[jl]\(")
_MOTION = re.compile(rb"\s*(?:speed|move|stop)[jl]\(")


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
        self._finished = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Join the clients, unless there are too many."""
        self._transport = cast(asyncio.Transport, transport)
        if len(self._clients) >= MOST_CLIENTS:
            self._transport.abort()
            return
        notice_vanished(self._transport)
        self._inbox = Inbox(self._intake, self._timed, self._transport)
        self._clients.add(self)
        self.greet()

    def connection_lost(self, error: Exception | None) -> None:
        """Leave the clients; what has come before the connection broke is still worked on."""
        if error is not None:
            self._read_rest()
        self._clients.discard(self)
        self._intake.deadlines.cancel(self)

    def _read_rest(self) -> None:
        """Read what lies in the socket: a client that sends and goes without reading resets it."""
        sock = self._transport.get_extra_info("socket") if self._transport is not None else None
        with contextlib.suppress(OSError):
            while sock is not None and (data := os.read(sock.fileno(), LONGEST_SCRIPT)):
                self.data_received(data)

    def greet(self) -> None:
        """Say hello, on ports that do."""

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
            deadlines.start(self, UNFINISHED, self.drop)

    def drop(self) -> None:
        """Close the connection and forget what has come."""
        if self._inbox is not None:
            self._inbox.close()
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


def notice_vanished(transport: asyncio.Transport) -> None:
    """Let the system end a connection whose client has vanished without a word."""
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
        answer: returns the answer to a line, or a generator that does; or raises Goodbye.
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
        except Goodbye as goodbye:
            self.reply(goodbye.answer)
            if self._inbox is not None:
                self._inbox.close()
            if self._transport is not None:
                self._transport.close()
            return False
        return True


class ScriptFramer:
    """Cuts a stream of bytes into programs from ``def`` to ``end`` and single lines.

    The ``end`` of a program stands at the beginning of its line; those inside are indented. Of a
    program with more than ``MOST_TEXT_LINES`` one line more is kept, so that it can be refused.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._program: list[bytes] = []
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes of the unfinished program or line."""
        return self._size + len(self._rest)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield every program or line that is complete with ``data``; never an empty line."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self._program or _HEAD.match(line):
                if len(self._program) <= MOST_TEXT_LINES:
                    self._program.append(line)
                self._size += len(line) + 1
                if _END.match(line):
                    whole = b"\n".join(self._program) + b"\n"
                    self._program, self._size = [], 0
                    yield whole
            elif line.strip():
                yield line + b"\n"


class ScriptPort(TextPort):
    """A connection to a script port: programs from ``def`` to ``end``, and single lines.

    Args:
        clients: the connections of this port.
        intake: shares the time of a control cycle among the robot's clients.
        run: runs a program or line, in short steps.
    """

    def __init__(
        self, clients: set[TextPort], intake: Intake, run: Callable[[str], Iterator[Step]]
    ) -> None:
        super().__init__(clients, intake)
        self._run, self._framer, self._defined = run, ScriptFramer(), b""

    def work(self, data: bytes) -> Iterator[Step]:
        """Run every program and line that is complete now.

        A speed command is left out where the next motion command has come already, which replaces
        it. On a busy machine they would wait ever longer, and an arm led by them would oscillate.
        So is a call of the program right after its definition: it runs without one.
        """
        for text, following in itertools.pairwise([*self._framer.feed(data), b""]):
            self._finished += 1
            if self._is_own_call(text) or (_SPEED.match(text) and _MOTION.match(following)):
                continue
            yield from self._run(text.decode("utf-8", "replace"))
            yield None
        if self._framer.size > LONGEST_SCRIPT:
            self.drop()

    def _is_own_call(self, text: bytes) -> bool:
        """Return whether a text calls the program that came just before it."""
        call, head, before = _CALL.fullmatch(text), _HEAD.match(text), self._defined
        self._defined = head[1] if head else b""
        return call is not None and call[1] == before

    @property
    def unfinished(self) -> int:
        """Bytes of a program or line whose end has not come."""
        return self._framer.size
