"""Work beside the control cycle: compiling programs, reading and writing files."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from armtwin.robots.ur_controller.ports.intake import LATER, Step
from armtwin.robots.ur_controller.script import ScriptProgram
from armtwin.robots.ur_controller.script.compiler_process import COMPILER

T = TypeVar("T")
SHORT_TEXT = 256
"""Longest text that is compiled within the control cycle, in short steps [characters]."""
SWITCH_INTERVAL = 1e-4
"""Thread switch interval while something runs beside the control cycle [s].

The control cycle may wait so long after each of its system calls: another thread runs meanwhile.
"""


class Loader:
    """Compiles programs in a process, and handles files in threads, beside the control cycle.

    Where there is no process, or while it starts, a thread compiles.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "urscript")
        self._others = ThreadPoolExecutor(4, "robot-files")
        self._preparing = ThreadPoolExecutor(1, "robot-start")
        self._warm = threading.Event()

    async def warm_up(self) -> None:
        """Build the parser, which takes 0.1 s without kept tables, before the first program comes.

        Lines that wait for it would run late one after the other, and a client that leads the arm
        by speeds would overshoot its goal.
        """
        if not self._warm.is_set():
            built = self._pool.submit(_PATIENCE.call, lambda: self._compile("sync()\n"))
            await asyncio.wrap_future(built)

    def begin(self, work: Callable[[], object]) -> None:
        """Call a function in a separate thread, one at a time, without waiting for it."""
        self._preparing.submit(_PATIENCE.call, work)

    def steps(self, text: str) -> Generator[Step, None, ScriptProgram]:
        """Compile a text; a generator that returns the program.

        Raises:
            ScriptError: the text cannot be compiled.
        """
        if len(text) <= SHORT_TEXT and self._warm.is_set():
            return (yield from ScriptProgram.load_steps(text))
        program = (yield from COMPILER.steps(text)) if self._warm.is_set() else None
        return program or (yield from _awaited(self._pool, lambda: self._compile(text)))

    def in_thread(self, work: Callable[[], T]) -> Generator[Step, None, T]:
        """Call a function in a separate thread; a generator that returns its result."""
        return (yield from _awaited(self._others, work))

    def _compile(self, text: str) -> ScriptProgram:
        try:
            return ScriptProgram.load(text)
        finally:
            self._warm.set()


class _YieldingWait:
    """Waits for a thread, and yields to the control cycle meanwhile."""

    def __init__(self) -> None:
        self._lock, self._count, self._usual = threading.Lock(), 0, 0.0

    def call(self, work: Callable[[], T]) -> T:
        """Call a function."""
        self._change(1)
        try:
            return work()
        finally:
            self._change(-1)

    def _change(self, count: int) -> None:
        """Count a thread in or out; the first one shortens the interval, the last resets it."""
        with self._lock:
            if self._count == 0:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(SWITCH_INTERVAL)
            self._count += count
            if self._count == 0:
                sys.setswitchinterval(self._usual)


_PATIENCE = _YieldingWait()


def _awaited(pool: ThreadPoolExecutor, work: Callable[[], T]) -> Generator[Step, None, T]:
    result = pool.submit(_PATIENCE.call, work)
    while not result.done():
        yield LATER
    return result.result()


LOADER = Loader()
