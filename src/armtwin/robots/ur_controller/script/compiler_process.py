"""Compiles programs in a separate process.

Python's ``compile`` keeps all threads waiting: for a program of 5,000 lines 30 ms, for one with as
many functions 2 s. In another process it holds up no control cycle. Requests and answers are
marshalled plain values, each behind its length; ``python -m`` this module is that process.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import marshal
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from typing import IO, Any

from armtwin.processes import module_command
from armtwin.robots.priority import let_others_preempt, take_usual_priority
from armtwin.robots.ur_controller.ports.intake import LATER, Step
from armtwin.robots.ur_controller.script import errors
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.program import ScriptProgram

LARGE = 1 << 16
"""Texts up to this size are compiled here while the process is still starting [characters].

ur_rtde's control script (50 kB) shall not wait for the start, 0.5 s on a quiet machine.
"""
PIPE_SIZE = 1 << 20
"""Bytes that a pipe to or from the process holds."""
PIECE = 1 << 16
"""Bytes that are written or read in one step."""
_SIZE = struct.Struct("<Q")
_READY = "ready"


class CompilerProcess:
    """Compiles programs for this process; one at a time, from any thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ready, self._lock = False, threading.Lock()
        self._coming = bytearray()

    def load(self, source: str) -> ScriptProgram:
        """Return the program of a text, as ``ScriptProgram.load`` does; waits for it.

        Raises:
            ScriptError: the text cannot be compiled; says where and why.
        """
        steps = self.steps(source)
        while True:
            try:
                if next(steps) == LATER:
                    time.sleep(1e-3)
            except StopIteration as end:
                return end.value or ScriptProgram.load(source)

    def steps(self, source: str) -> Generator[Step, None, ScriptProgram | None]:
        """Compile a text without waiting for the process; a generator that returns the program.

        It returns None where there is no process, or where it is still starting and the text is
        not large. A generator that is closed ends the process, and with it the compilation.

        Raises:
            ScriptError: the text cannot be compiled; says where and why.
        """
        while not self._lock.acquire(blocking=False):
            yield LATER
        try:
            if not self._start() or (len(source) <= LARGE and not self._is_ready()):
                return None
            answer = yield from self._request(source)
        except (OSError, EOFError):
            self._close()
            raise ScriptError("Program cannot be compiled: the compiler has ended") from None
        except GeneratorExit:
            self._close()
            raise
        finally:
            self._lock.release()
        if answer[0] == "error":
            kind, text, line, column = answer[1:]
            raise getattr(errors, kind)(text, line, column)
        return ScriptProgram.from_plain(source, answer[1:])

    def _start(self) -> bool:
        """Start the process unless it runs; return whether there is one."""
        if sys.platform == "win32":  # its pipes cannot be polled
            return False
        if self._process is not None and self._process.poll() is None:
            return True
        self._close()
        line = module_command("armtwin.robots.ur_controller.script.compiler_process")
        quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                line, stdin=pipe, stdout=pipe, stderr=quiet, bufsize=0, pipesize=PIPE_SIZE
            )
        except OSError:
            return False
        for end in self._pipes():
            os.set_blocking(end, False)
        atexit.register(self._close)
        return True

    def _is_ready(self) -> bool:
        """Return whether the process waits for a text, without waiting for it."""
        if not self._ready:
            self._ready = self._message() is not None
        return self._ready

    def _request(self, source: str) -> Generator[Step, None, Any]:
        """Send a text and return the answer, a piece at a step."""
        while not self._is_ready():
            yield LATER
        data = marshal.dumps(source)
        rest = memoryview(_SIZE.pack(len(data)) + data)
        while rest:
            try:
                rest = rest[os.write(self._pipes()[0], rest[:PIECE]) :]
                yield None
            except BlockingIOError:
                yield LATER
        before = len(self._coming)
        while (answer := self._message()) is None:
            yield None if len(self._coming) > before else LATER
            before = len(self._coming)
        return marshal.loads(answer)

    def _message(self) -> bytearray | None:
        """Read a piece of what has come; return the message that is complete with it."""
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._pipes()[1], PIECE)
            if not data:
                raise EOFError
            self._coming += data
        end = _SIZE.size
        if len(self._coming) >= end:
            end += _SIZE.unpack_from(self._coming)[0]
        if len(self._coming) < max(end, _SIZE.size + 1):
            return None
        message = self._coming[_SIZE.size : end]
        del self._coming[:end]
        return message

    def _pipes(self) -> tuple[int, int]:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin.fileno(), self._process.stdout.fileno()

    def _close(self) -> None:
        """End the process, if there is one."""
        process, self._process, self._ready = self._process, None, False
        self._coming.clear()
        if process is None:
            return
        atexit.unregister(self._close)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _write(pipe: IO[bytes], value: Any) -> None:
    data = marshal.dumps(value)
    pipe.write(_SIZE.pack(len(data)) + data)
    pipe.flush()


def _read(pipe: IO[bytes]) -> Any:
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError
    size = _SIZE.unpack(head)[0]
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return marshal.loads(data)


def _answer(source: str) -> tuple[Any, ...]:
    try:
        return ("program", *ScriptProgram.load(source).to_plain())
    except ScriptError as error:
        return "error", type(error).__name__, error.text, error.line, error.column


def main() -> None:
    """Compile what comes until the input ends, at ordinary priority whatever the robot's is."""
    take_usual_priority()
    if hasattr(os, "sched_setscheduler"):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    ScriptProgram.load("sync()\n")  # builds the parser
    gc.freeze()
    gc.disable()  # syntax trees are many small objects: passes over them take a quarter of the time
    _write(sys.stdout.buffer, _READY)
    while True:
        try:
            source = _read(sys.stdin.buffer)
        except EOFError:
            return
        let_others_preempt(len(source) > LARGE)  # clients that read samples, for instance
        _write(sys.stdout.buffer, _answer(source))
        gc.collect()  # while no request waits


COMPILER = CompilerProcess()

if __name__ == "__main__":
    main()
