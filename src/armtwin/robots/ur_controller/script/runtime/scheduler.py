"""Threads of a program, run in control cycles.

A thread is a generator. It yields None when it has used its time in this cycle, ``PREEMPTED`` when
it has executed its share of statements, and ``JOINING`` while it waits for another thread, which
takes no time: a thread whose child ends in this cycle continues in this cycle.
"""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Callable, Generator
from itertools import islice
from types import TracebackType
from typing import Any

from armtwin.errors import ArmTwinError
from armtwin.robots.ur_controller.script.errors import BudgetError, ScriptError, ScriptTypeError
from armtwin.robots.ur_controller.script.language.compiler import FILENAME
from armtwin.robots.ur_controller.script.runtime.budget import Budget

logger = logging.getLogger(__name__)
PREEMPTED, JOINING = "preempted", "joining"
MAIN_HANDLE = 1
"""Handle of the first thread; the program ends with it."""
RESUME_COST = 5
"""Statements that resuming a thread counts for."""
MIN_SHARE = 50
"""Statements that a thread may execute in a cycle, however many threads there are."""
_VARIABLE = re.compile(r"'v_(\w+)'")
Code = Generator[Any, None, Any]


class ProgramHalted(Exception):  # noqa: N818 - the end of a program, not an error
    """A program that ends itself with ``halt``."""


class ThreadKilled(Exception):  # noqa: N818 - the end of a thread, not an error
    """A thread that killed itself."""


class Slice:
    """Counters of the running thread.

    Attributes:
        left: statements that it may still execute in this cycle.
        depth: nested calls.
        critical: whether it is in a critical section.
    """

    __slots__ = ("critical", "depth", "left")

    def __init__(self) -> None:
        self.left, self.depth, self.critical = 0, 0, False


class Thread:
    """A running thread."""

    def __init__(self, handle: int, name: str, code: Code, parent: Thread | None) -> None:
        self.handle, self.name, self.code, self.parent = handle, name, code, parent
        self.depth, self.critical, self.busy, self.alive = 0, False, 0, True

    @property
    def line(self) -> int:
        """Line that the thread is at."""
        code: Any = self.code
        line = 0
        while code is not None and getattr(code, "gi_frame", None) is not None:
            if code.gi_code.co_filename == FILENAME:
                line = code.gi_frame.f_lineno
            code = code.gi_yieldfrom
        return line


class Scheduler:
    """Runs the threads of one program.

    Args:
        budget: limits.
    """

    def __init__(self, budget: Budget) -> None:
        self.slice, self.budget = Slice(), budget
        self._threads: dict[int, Thread] = {}
        self._ready: deque[Thread] = deque()
        self._joining: list[Thread] = []
        self._current: Thread | None = None
        self._last = 0

    @property
    def ended(self) -> bool:
        """Whether the main thread has ended."""
        return MAIN_HANDLE not in self._threads

    @property
    def threads(self) -> list[Thread]:
        """Threads that are alive, the main thread first."""
        return [*self._threads.values()]

    def spawn(self, start: Callable[[], Code], name: str) -> int:
        """Start a thread and return its handle; it runs in this cycle."""
        if len(self._threads) >= self.budget.threads:
            raise BudgetError(f"Too many threads, at most {self.budget.threads}")
        self._last += 1
        thread = Thread(self._last, name, start(), self._current)
        self._threads[self._last] = thread
        self._ready.append(thread)
        return self._last

    def kill(self, handle: Any) -> None:
        """End a thread and the threads that it has started; what is no thread is ignored."""
        if type(handle) is not int:
            raise ScriptTypeError("Type error: kill takes a thread handle")
        thread = self._threads.get(handle)
        if thread is None:
            return
        for child in self.threads:
            if child.parent is thread:
                self.kill(child.handle)
        self._end(thread)
        if thread is self._current:
            raise ThreadKilled
        thread.code.close()

    def join(self, handle: Any) -> Generator[Any, None, None]:
        """Wait until a thread has ended; what is no thread is ignored."""
        if type(handle) is not int:
            raise ScriptTypeError("Type error: join takes a thread handle")
        if self._current is not None and handle == self._current.handle:
            raise ScriptError("A thread cannot join itself")
        while handle in self._threads:
            yield JOINING

    def step(self) -> None:
        """Run all threads for one control cycle.

        Every thread runs once, whatever the others have used; it may use all statements of the
        cycle but ``MIN_SHARE`` for each thread after it, so that what is read and computed in
        one go (registers and inverse kinematics) is not torn over two cycles. What is left goes
        to threads started in this cycle and to those whose join has ended. A
        thread within a critical section, which no other thread may interrupt, may use as much
        again before the cycle ends for all.

        Raises:
            ScriptError: a thread has failed; says where.
            ProgramHalted: the program has ended itself.
        """
        pool = self.budget.statements_per_cycle
        self._ready.clear()
        self._ready.extend(self._in_order())
        self._joining.clear()
        waiting = set(self._threads)
        while self._ready:
            thread = self._ready.popleft()
            if not thread.alive or (pool <= 0 and thread.handle not in waiting):
                continue
            waiting.discard(thread.handle)
            share = max(pool - MIN_SHARE * len(waiting), MIN_SHARE)
            outcome = self._resume(thread, share)
            pool -= share - self.slice.left + RESUME_COST
            stuck = outcome == PREEMPTED and thread.critical
            if stuck and pool > -self.budget.statements_per_cycle:
                self._ready.appendleft(thread)
                waiting.add(thread.handle)
                continue
            self._account(thread, outcome)
            if stuck or self.ended:
                return

    def _in_order(self) -> list[Thread]:
        """Return the threads for a cycle; first one that was stopped in a critical section."""
        return sorted(self._threads.values(), key=lambda t: not (t.critical and t.busy))

    def _account(self, thread: Thread, outcome: Any) -> None:
        if outcome == JOINING:
            self._joining.append(thread)
        if outcome != PREEMPTED:
            thread.busy = 0
            return
        thread.busy += 1
        if thread.busy > self.budget.busy_cycles:
            text = f"Runtime is too much behind: thread {thread.name} runs without waiting"
            raise BudgetError(text, thread.line, 1)

    def _resume(self, thread: Thread, share: int) -> Any:
        """Run a thread until it yields; return what it yields, None if it has ended."""
        counters = self.slice
        counters.left, counters.depth, counters.critical = share, thread.depth, thread.critical
        self._current = thread
        try:
            return next(thread.code)
        except StopIteration:
            self._end(thread)
            return None
        except (ProgramHalted, ThreadKilled) as end:
            self._end(thread)
            if isinstance(end, ProgramHalted):
                raise
            return None
        except Exception as error:  # noqa: BLE001 - whatever fails ends this program only
            raise script_error(error) from error
        finally:
            self._current = None
            thread.depth, thread.critical = counters.depth, counters.critical

    def _end(self, thread: Thread) -> None:
        """Forget a thread; threads that wait for one run again."""
        thread.alive = False
        self._threads.pop(thread.handle, None)
        self._ready.extend(self._joining)
        self._joining.clear()

    def close(self) -> None:
        """End all threads."""
        for thread in self.threads:
            self._end(thread)
            thread.code.close()


def script_error(error: Exception) -> ScriptError:
    """Return an exception of generated code as a ScriptError with its position."""
    line, column = _position(error.__traceback__)
    if isinstance(error, ScriptError):
        return error.located(line, column)
    if isinstance(error, NameError):
        match = _VARIABLE.search(str(error))
        return ScriptError(f"name '{match[1] if match else '?'}' is not defined", line, column)
    if isinstance(error, TypeError | OverflowError | ZeroDivisionError):
        return ScriptTypeError(f"Type error: {error}", line, column)
    if isinstance(error, RecursionError | MemoryError):
        return BudgetError("Stack overflow", line, column)
    if not isinstance(error, ArmTwinError):
        logger.exception("a program failed for an unexpected reason")
    return ScriptError(f"{error}"[:200] or type(error).__name__, line, column)


def _position(trace: TracebackType | None) -> tuple[int, int]:
    """Return line and column of the innermost frame of a program."""
    found = (0, 0)
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == FILENAME:
            line, _, start, _ = next(islice(code.co_positions(), trace.tb_lasti // 2, None))
            found = (line or trace.tb_lineno, (start or 0) + 1)
        trace = trace.tb_next
    return found
