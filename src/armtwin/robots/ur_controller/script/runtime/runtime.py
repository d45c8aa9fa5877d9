"""Runtime interface of builtin functions and generated code."""

from __future__ import annotations

import functools
import random
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NoReturn

from armtwin.robots.ur_controller.script.builtins import BUILTINS
from armtwin.robots.ur_controller.script.builtins.registry import Builtin
from armtwin.robots.ur_controller.script.commands import Pause
from armtwin.robots.ur_controller.script.errors import BudgetError, ScriptError
from armtwin.robots.ur_controller.script.host import ScriptHost
from armtwin.robots.ur_controller.script.runtime import operators
from armtwin.robots.ur_controller.script.runtime.budget import Budget
from armtwin.robots.ur_controller.script.runtime.list_methods import call_method
from armtwin.robots.ur_controller.script.runtime.scheduler import (
    PREEMPTED,
    ProgramHalted,
    Scheduler,
)
from armtwin.robots.ur_controller.script.runtime.tcp_sockets import SocketPort
from armtwin.robots.ur_controller.script.runtime.values import List, Pose, Struct

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.interpreter import Interpreter

SEED = 1
"""Seed of ``random()``: runs of a program are repeatable."""


class Runtime:
    """The surroundings of one running program.

    Attributes:
        host: the controller.
        sockets: its connections.
        budget: its limits.
        scheduler: its threads.
        interpreter: statements of interpreter mode; None for a program without.
    """

    def __init__(self, host: ScriptHost, sockets: SocketPort, budget: Budget) -> None:
        self.host, self.sockets, self.budget = host, sockets, budget
        self.scheduler = Scheduler(budget)
        self.interpreter: Interpreter | None = None
        self.random = random.Random(SEED).random

    def interpret(self, clear: bool) -> Generator[Any, None, None]:
        """Run interpreter mode in the calling thread."""
        if self.interpreter is None:
            raise ScriptError("interpreter_mode is not available here")
        yield from self.interpreter.run(clear)

    def end_interpreter(self) -> None:
        """Leave interpreter mode."""
        if self.interpreter is not None:
            self.interpreter.end()

    def clear_interpreter(self) -> None:
        """Forget executed statements of interpreter mode."""
        if self.interpreter is not None:
            self.interpreter.clear()

    def namespace(self) -> dict[str, Any]:
        """Return the names that generated code can use; there are no Python builtins."""
        names: dict[str, Any] = {
            "__builtins__": {}, "_s": self.scheduler.slice, "_preempted": PREEMPTED,
            "_unset": object(), "_calls": self.budget.calls, "_too_deep": _too_deep,
            "_halt": _halt, "_pause": self._pause, "_run": self.scheduler.spawn,
            "_kill": self.scheduler.kill, "_join": self.scheduler.join, "_list": List,
            "_pose": Pose, "_struct": Struct, "_method": call_method,
            "_add": operators.add, "_subtract": operators.subtract,
            "_multiply": operators.multiply, "_divide": operators.divide,
            "_modulo": operators.modulo, "_negate": operators.negate, "_truth": operators.truth,
            "_index": operators.index, "_member": operators.member,
            "_replaced": operators.replaced,
        }  # fmt: skip
        names.update((f"b_{name}", self._bound(b)) for name, b in BUILTINS.items())
        return names

    def _bound(self, builtin: Builtin) -> Any:
        return functools.partial(builtin.function, self) if builtin.bound else builtin.function

    def _pause(self) -> Generator[Any, None, None]:
        self.host.do(Pause())
        yield None


def _halt() -> NoReturn:
    raise ProgramHalted


def _too_deep() -> NoReturn:
    raise BudgetError("Stack overflow: too many nested calls")
