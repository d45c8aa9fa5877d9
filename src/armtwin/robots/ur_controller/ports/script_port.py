"""Ports that take URScript: programs from ``def`` to ``end``, and single lines."""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Callable, Generator, Iterator

from armtwin.robots.ur_controller.ports.intake import Intake, Step
from armtwin.robots.ur_controller.ports.text_port import LONGEST_SCRIPT, TextPort

MAX_TEXT_LINES = 20000
"""Lines of a program with empty ones and comments; more cannot be split within a few ms."""
DECODED = 1 << 16
"""Bytes that are decoded in one step; 1 MB of bytes that are no text takes 7 ms."""
BEGINNING = 512
"""Bytes of a line that are searched for what kind of line it is: a search of 1 MB takes 10 ms."""
_HEAD = re.compile(rb"\s*(?:def|sec|thread)\s+(\w+)\s*\(")
_CALL = re.compile(rb"\s*(\w+)\s*\(\s*\)\s*")
_SPEED = re.compile(rb"\s*speed[jl]\(")
_MOTION = re.compile(rb"\s*(?:speed|move|stop)[jl]\(")


class ScriptFramer:
    """Cuts a stream of bytes into programs from ``def`` to ``end`` and single lines.

    The ``end`` of a program stands at the beginning of its line; those inside are indented. Of a
    program with more than ``MAX_TEXT_LINES`` one line more is kept, so that it can be refused.
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
            if self._program or _HEAD.match(line, 0, BEGINNING):
                if len(self._program) <= MAX_TEXT_LINES:
                    self._program.append(line)
                self._size += len(line) + 1
                if line.startswith(b"end") and line.rstrip(b" \t\r") == b"end":
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
            if self._is_own_call(text) or _is_superseded(text, following):
                continue
            yield from self._run((yield from _decoded(text)))
            yield None
        if self._framer.size > LONGEST_SCRIPT:
            self.drop()

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
