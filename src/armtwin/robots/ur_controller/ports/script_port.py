"""Ports that take URScript: programs from ``def`` to ``end``, and single lines."""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Callable, Generator, Iterator

from armtwin.robots.ur_controller.ports.intake import Intake, Step
from armtwin.robots.ur_controller.ports.text_port import LONGEST_SCRIPT, UNFINISHED, TextPort
from armtwin.robots.ur_controller.programs.script_sender import ScriptSender
from armtwin.robots.ur_controller.script.language.block_counter import BlockCounter

MAX_TEXT_LINES = 20000
"""Lines of a program with empty ones and comments; more cannot be split within a few ms."""
DECODED = 1 << 16
"""Bytes that are decoded in one step; 1 MB of bytes that are no text takes 7 ms."""
BEGINNING = 512
"""Bytes of a line that are searched for what kind of line it is: a search of 1 MB takes 10 ms."""
FRAMED = 512
"""Bytes that are cut into lines in one step: takes 0.5 ms if each line has one byte."""
_HEAD = re.compile(rb"\s*(?:def|sec|thread)\s+(\w+)\s*\(")
_BLOCK = re.compile(rb"\s*(?:if|while)\b")
_FOREIGN = re.compile(rb"\s*(?:for\s+\w+\s+in\b|switch\b[^=\r\n]*:)")
"""Blocks that URScript does not have: their ``end`` does not end the program, which is refused."""
_CALL = re.compile(rb"\s*(\w+)\s*\(\s*\)\s*(?:#.*\s*)?")
_SPEED = re.compile(rb"\s*speed[jl]\(")
_MOTION = re.compile(rb"\s*(?:speed|move|stop)[jl]\(")


ScriptRunner = Callable[[str, ScriptSender], Iterator[Step]]
"""Runs a program or line of a connection, in short steps."""
ScriptRefusal = Callable[[str, str, ScriptSender], None]
"""Reports the beginning of a text that is not run, with the reason."""


class ScriptFramer:
    """Cuts a stream of bytes into programs from ``def`` to ``end`` and single lines.

    A program ends with the line whose ``end`` closes its first block; indentation has no meaning.
    Of a program with more than ``MAX_TEXT_LINES`` one line more is kept, so that it can be
    refused. Blank lines and comments beside programs are left out.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._program: list[bytes] = []
        self._size, self._blocks = 0, BlockCounter()

    @property
    def size(self) -> int:
        """Bytes of the unfinished program or line."""
        return self._size + len(self._rest)

    @property
    def unfinished(self) -> bytes:
        """The unfinished program or line; empty if it is only a comment."""
        return b"\n".join([*self._program, self._rest]) if self._has_code() else b""

    @property
    def closed(self) -> bool:
        """Whether a program lacks only the line break after its ``end``."""
        begun = bool(self._program) or _HEAD.match(self._rest, 0, BEGINNING) is not None
        return begun and self._blocks.depth_at_end == 0

    def _has_code(self) -> bool:
        return bool(self._program) or _is_code(self._rest)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield every program or line that is complete with ``data``; never an empty line."""
        *ends, rest = data.split(b"\n")
        for part in ends:
            self._blocks.scan(part + b"\n")
            line, self._rest = self._rest + part, b""
            text = self._end_line(line)
            if text:
                yield text
        if rest:
            self._blocks.scan(rest)
            self._rest += rest

    def _end_line(self, line: bytes) -> bytes:
        """Add a line to the program; return it if it is complete, else nothing."""
        if _FOREIGN.match(line, 0, BEGINNING):
            self._blocks.depth += 1
        if not self._program and not (self._blocks.depth and _opens_block(line)):
            self._blocks = BlockCounter()
            return line + b"\n" if _is_code(line) else b""
        if len(self._program) <= MAX_TEXT_LINES:
            self._program.append(line)
        self._size += len(line) + 1
        if self._blocks.depth:
            return b""
        whole = b"\n".join(self._program) + b"\n"
        self._program, self._size = [], 0
        return whole


def _opens_block(line: bytes) -> bool:
    """Return whether a line outside a program begins with a block."""
    return any(kind.match(line, 0, BEGINNING) for kind in (_HEAD, _BLOCK, _FOREIGN))


def _is_code(line: bytes) -> bool:
    """Return whether a line is neither blank nor a comment."""
    words = line.strip()
    return words != b"" and (words[:1] != b"#" or b"\r" in words)


class ScriptPort(TextPort):
    """A connection to a script port: programs from ``def`` to ``end``, and single lines.

    Args:
        clients: the connections of this port.
        intake: shares the time of a control cycle among the robot's clients.
        run: runs a program or line of this connection, in short steps.
        refuse: reports a text of this connection whose end does not come, and the reason.
    """

    def __init__(
        self,
        clients: set[TextPort],
        intake: Intake,
        run: ScriptRunner,
        refuse: ScriptRefusal | None = None,
    ) -> None:
        super().__init__(clients, intake)
        self._run, self._refuse, self._sender = run, refuse, ScriptSender()
        self._framer, self._defined = ScriptFramer(), b""

    def work(self, data: bytes) -> Iterator[Step]:
        """Run every program and line that is complete now.

        A speed command is left out where the next motion command has come already, which replaces
        it. On a busy machine they would wait ever longer, and an arm led by them would oscillate.
        So is a call of the program right after its definition: it runs without one.
        """
        texts: list[bytes] = []
        for start in range(0, len(data), FRAMED):
            yield from (None,) if start else ()
            texts += self._framer.feed(data[start : start + FRAMED])
        for text, following in itertools.pairwise([*texts, b""]):
            self._finished += 1
            if self._is_own_call(text) or _is_superseded(text, following):
                continue
            yield from self._run((yield from _decoded(text)), self._sender)
            yield None
        if self._framer.size > LONGEST_SCRIPT:
            self._report(f"more than {LONGEST_SCRIPT} bytes without an end")
            self.drop()

    def connection_lost(self, error: Exception | None) -> None:
        """Leave the clients, and work on what has come."""
        super().connection_lost(error)
        if self._inbox is not None:
            self._inbox.finish(self._work_on_rest)

    def _work_on_rest(self) -> None:
        """Run a program whose last line break is missing; report another unfinished text."""
        if self._framer.closed:
            self.data_received(b"\n")
        else:
            self._report("the connection was closed before its end")

    def expire(self) -> None:
        """Report a text whose end has not come, and close the connection."""
        self._report(f"its end has not come within {UNFINISHED:g} s")
        self.drop()

    def drop(self) -> None:
        """Close the connection and forget what has come."""
        self._framer = ScriptFramer()
        super().drop()

    def _report(self, reason: str) -> None:
        text = self._framer.unfinished[:BEGINNING]
        if text and self._refuse is not None:
            self._refuse(text.decode("utf-8", "replace"), reason, self._sender)

    def _is_own_call(self, text: bytes) -> bool:
        """Return whether a text calls the program that came just before it."""
        call = _CALL.fullmatch(text) if len(text) <= BEGINNING else None
        head, before = _HEAD.match(text, 0, BEGINNING), self._defined
        self._defined = head[1] if head else b""
        return call is not None and call[1] == before

    @property
    def unfinished(self) -> int:
        """Bytes of a program or line whose end has not come."""
        return self._framer.size


def _is_superseded(text: bytes, following: bytes) -> bool:
    """Return whether a line sets a speed and the next one is a motion command, too."""
    speed = _SPEED.match(text, 0, BEGINNING)
    return speed is not None and _MOTION.match(following, 0, BEGINNING) is not None


def _decoded(data: bytes) -> Generator[Step, None, str]:
    """Decode a text in short steps; bytes that are no text become question marks."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    parts = []
    for start in range(0, len(data), DECODED):
        parts.append(decode(data[start : start + DECODED]))
        yield from (None,) if len(data) > DECODED else ()
    return "".join([*parts, decode(b"", True)])
