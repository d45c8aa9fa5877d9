"""Interpreter mode: statements that clients send to a running program.

The program calls ``interpreter_mode()``; a client's lines (port 30020) are compiled at once and
executed one after the other in the program's own scope, until one calls ``end_interpreter()``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from types import CodeType
from typing import Any

from armtwin.robots.ur_controller.script.builtins import BUILTINS
from armtwin.robots.ur_controller.script.errors import ScriptError, ScriptSyntaxError
from armtwin.robots.ur_controller.script.language import nodes as n
from armtwin.robots.ur_controller.script.language.compiler import MAIN, compile_steps
from armtwin.robots.ur_controller.script.language.parser import finished, parse_steps
from armtwin.robots.ur_controller.script.language.scopes import Scope
from armtwin.robots.ur_controller.script.runtime.budget import Budget


class Interpreter:
    """The queue of statements of one program.

    Args:
        names: namespace of the program's generated code.
        scope: the program's scope.
        budget: limits.

    Attributes:
        scope: the program's scope, with what statements have added to it.
    """

    def __init__(self, names: dict[str, Any], scope: Scope, budget: Budget) -> None:
        self._names, self.scope, self._budget = names, scope, budget
        self._queue: deque[tuple[int, CodeType]] = deque()
        self._count = self._executed = self._cleared = self._held = 0
        self._current: Generator[Any, None, Any] | None = None
        self.active = self._compiling = False

    def command(self, line: str) -> str:
        """Take a line from a client and return the answer, as a controller words it."""
        return finished(self.command_steps(line))

    def command_steps(self, line: str) -> Generator[None, None, str]:
        """Take a line in short steps; a generator that returns the answer."""
        text = line.strip()
        states = {
            "statelastexecuted": self._executed,
            "statelastinterpreted": self._count,
            "statelastcleared": self._cleared,
            "stateunexecuted": len(self._queue),
        }
        if text in states:
            return f"state: {states[text]}: {text}"
        if text == "skipbuffer":
            skipped = len(self._queue)
            self._queue.clear()
            return f"ack: {skipped}: skipbuffer"
        if text == "abort":
            self._abort()
            return "ack: 0: abort"
        return (yield from self._submit(text))

    def _submit(self, text: str) -> Generator[None, None, str]:
        if not self.active:
            return f"discard: Interpreter not running: {text}"
        if self._held >= self._budget.queued_statements:
            return f"discard: Too many interpreted messages: {text}"
        while self._compiling:  # a line of another client, which changes the scope
            yield
        self._compiling = True
        try:
            statements = yield from parse_steps(text, self._budget)
            if any(isinstance(s, n.Define) and s.kind == "sec" for s in statements):
                raise ScriptError("Secondary program")
            code = yield from compile_steps(statements, self.scope, BUILTINS, text)
        except ScriptError as error:
            kind = "Syntax" if isinstance(error, ScriptSyntaxError) else "Compile"
            return f"discard: {kind} error: {text}"
        finally:
            self._compiling = False
        self._count += 1
        self._held += 1
        self._queue.append((self._count, code))
        return f"ack: {self._count}: {text}"

    def _abort(self) -> None:
        self._queue.clear()
        if self._current is not None:
            self._current.close()

    def run(self, clear: bool) -> Generator[Any, None, None]:
        """Execute statements as they come, in the calling thread."""
        if clear:
            self._queue.clear()
        self.active = True
        while self.active:
            if not self._queue:
                yield None
                continue
            number, code = self._queue.popleft()
            exec(code, self._names)  # noqa: S102 - code from our own compiler, no builtins
            self._current = self._names[MAIN]()
            yield from self._executing(self._current)
            self._current = None
            self._executed = number

    @staticmethod
    def _executing(code: Generator[Any, None, Any]) -> Generator[Any, None, None]:
        """Execute one statement; another generator may be closed by ``abort`` in between."""
        while True:
            try:
                wanted = next(code)
            except StopIteration:
                return
            yield wanted

    def end(self) -> None:
        """Leave interpreter mode."""
        self.active = False

    def clear(self) -> None:
        """Forget the executed statements, so that more can be sent."""
        self._held, self._cleared = len(self._queue), self._executed
