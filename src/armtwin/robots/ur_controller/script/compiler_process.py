"""Compiles programs in a process of its own.

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
import select
import struct
import subprocess
import sys
import threading
from typing import IO, Any

from armtwin.robots.priority import let_others_preempt, take_usual_priority
from armtwin.robots.ur_controller.script import errors
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.program import ScriptProgram

LARGE = 1 << 16
"""Texts up to this size are compiled here while the process is still starting [characters].

ur_rtde's control script (50 kB) shall not wait for the start, 0.5 s on a quiet machine.
"""
_SIZE = struct.Struct("<Q")
_READY = "ready"


class CompilerProcess:
    """Compiles programs for this process; one at a time, from any thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ready, self._lock = False, threading.Lock()

    def load(self, source: str) -> ScriptProgram:
        """Return the program of a text, as ``ScriptProgram.load`` does.

        Raises:
            ScriptError: the text cannot be compiled; says where and why.
        """
        with self._lock:
            if not self._start() or (len(source) <= LARGE and not self._is_ready()):
                return ScriptProgram.load(source)
            try:
                answer = self._ask(source)
            except (OSError, EOFError):
                self._close()
                raise ScriptError("Program cannot be compiled: the compiler has ended") from None
        if answer[0] == "error":
            kind, text, line, column = answer[1:]
            raise getattr(errors, kind)(text, line, column)
        return ScriptProgram.from_plain(source, answer[1:])

    def _start(self) -> bool:
        """Start the process unless it runs; return whether there is one."""
        if sys.platform == "win32":  # its pipes cannot be asked whether something has come
            return False
        if self._process is not None and self._process.poll() is None:
            return True
        self._close()
        line = [sys.executable, "-m", "armtwin.robots.ur_controller.script.compiler_process"]
        quiet = subprocess.DEVNULL
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=quiet)
        except OSError:
            return False
        atexit.register(self._close)
        return True

    def _is_ready(self) -> bool:
        """Return whether the process waits for a text, without waiting for it."""
        if not self._ready:
            output = self._pipes()[1]
            self._ready = bool(select.select([output], [], [], 0)[0]) and _read(output) == _READY
        return self._ready

    def _ask(self, source: str) -> Any:
        request, output = self._pipes()
        if not self._ready:
            self._ready = _read(output) == _READY
        _write(request, source)
        return _read(output)

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def _close(self) -> None:
        """End the process, if there is one."""
        process, self._process, self._ready = self._process, None, False
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
