"""Work beside the control cycle: compiling programs, reading and writing files."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from armtwin.robots.ur_controller.ports.intake import LATER, Step
from armtwin.robots.ur_controller.script import ScriptProgram

T = TypeVar("T")
SHORT_TEXT = 256
"""Longest text that is compiled within the control cycle, which takes up to 2 ms [characters]."""
SWITCH_INTERVAL = 5e-4
"""Thread switch interval while something runs beside the control cycle [s]."""


class Loader:
    """Compiles programs and handles files in one thread beside the control cycle."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "urscript")
        self._warm = threading.Event()

    def warm_up(self) -> None:
        """Build the parser before the first program comes; that takes 0.1 s."""
        if not self._warm.is_set():
            self._pool.submit(_patiently, lambda: self._compile("sync()\n"))

    def steps(self, text: str) -> Generator[Step, None, ScriptProgram]:
        """Compile a text; a generator that returns the program.

        Raises:
            ScriptError: the text cannot be compiled.
        """
        if len(text) <= SHORT_TEXT and self._warm.is_set():
            return ScriptProgram.load(text)
        return (yield from self.beside(lambda: self._compile(text)))

    def beside(self, work: Callable[[], T]) -> Generator[Step, None, T]:
        """Call a function in the thread; a generator that returns what it returns."""
        result = self._pool.submit(_patiently, work)
        while not result.done():
            yield LATER
        return result.result()

    def _compile(self, text: str) -> ScriptProgram:
        try:
            return ScriptProgram.load(text)
        finally:
            self._warm.set()


def _patiently(work: Callable[[], T]) -> T:
    """Call a function and let the control cycle have its turn meanwhile."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        return work()
    finally:
        sys.setswitchinterval(usual)


LOADER = Loader()
