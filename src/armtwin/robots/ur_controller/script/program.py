"""Programs: from text to a run in control cycles."""

from __future__ import annotations

import functools
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import Enum
from types import CodeType
from typing import Any

from armtwin.robots.ur_controller.script.builtins import BUILTINS
from armtwin.robots.ur_controller.script.errors import ScriptCompileError, ScriptError
from armtwin.robots.ur_controller.script.host import ScriptHost
from armtwin.robots.ur_controller.script.language import nodes as n
from armtwin.robots.ur_controller.script.language.compiler import MAIN, compile_steps
from armtwin.robots.ur_controller.script.language.parser import (
    LABEL_CALL,
    finished,
    is_short,
    parse_steps,
)
from armtwin.robots.ur_controller.script.language.scopes import Scope, expressions, walk
from armtwin.robots.ur_controller.script.runtime.budget import DEFAULT_BUDGET, Budget
from armtwin.robots.ur_controller.script.runtime.interpreter import Interpreter
from armtwin.robots.ur_controller.script.runtime.runtime import Runtime
from armtwin.robots.ur_controller.script.runtime.scheduler import ProgramHalted
from armtwin.robots.ur_controller.script.runtime.tcp_sockets import SocketPort, TcpSockets

UNNAMED = "unnamed"
"""Name of a program that consists of statements without ``def``."""
SECONDARY = "SECONDARY_PROGRAM_EXCEPTION_XXX"
"""Begins the text of an exception in a secondary program, as on a real controller."""


KEPT = 8
"""Programs that are kept compiled: clients send the same one again when they reconnect."""


class State(Enum):
    """State of a run."""

    RUNNING = "running"
    FINISHED = "finished"
    HALTED = "halted"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, eq=False)
class ScriptProgram:
    """A compiled program.

    Attributes:
        name: of its ``def`` or ``sec``.
        secondary: whether it is a ``sec`` program, which runs beside the main program and may
            contain nothing that takes controller time.
        source: its text.
        code: its Python code.
        scope: its variables and functions.
        budget: its limits.
    """

    name: str
    secondary: bool
    source: str
    code: CodeType
    scope: Scope
    budget: Budget

    @classmethod
    def load(cls, source: str, budget: Budget = DEFAULT_BUDGET) -> ScriptProgram:
        """Return the program of a text.

        A text of definitions only runs the last one; the others are functions that it can call.
        Statements beside definitions run in order, with the definitions as functions.

        Raises:
            ScriptError: the text cannot be compiled; says where and why.
        """
        return _loaded(source, budget)

    @classmethod
    def load_steps(cls, source: str) -> Generator[None, None, ScriptProgram]:
        """Load a line in short steps; a generator that returns what ``load`` does.

        Most lines take one step. The steps of one with many tokens take up to some ms together.
        """
        if is_short(source):
            return cls.load(source)
        return (yield from cls._compile_steps(source, DEFAULT_BUDGET))

    @classmethod
    def compile(cls, source: str, budget: Budget) -> ScriptProgram:
        """Compile a text and return the program; ``load`` caches the last few."""
        return finished(cls._compile_steps(source, budget))

    @classmethod
    def _compile_steps(cls, source: str, budget: Budget) -> Generator[None, None, ScriptProgram]:
        parsed = yield from parse_steps(source, budget)
        _check_functions(parsed, budget.functions)
        statements = _without_own_call(_without_labels(parsed))
        defines = [s for s in statements if isinstance(s, n.Define)]
        only = len(defines) == len(statements) and defines
        if only:
            *others, main = defines
            body, name, kind = [*others, *main.body], main.name, main.kind
            if main.parameters:
                text = f"Compile error: program '{name}' takes no arguments"
                raise ScriptCompileError(text, main.line, main.column)
        else:
            body, name, kind = statements, UNNAMED, "def"
        scope = Scope()
        code = yield from compile_steps(body, scope, BUILTINS, source)
        secondary = kind == "sec"
        if secondary:
            _check_secondary(body)
        return cls(name, secondary, source, code, scope, budget)

    def to_plain(self) -> tuple[Any, ...]:
        """Return all but text and budget as values that ``marshal`` can carry."""
        return self.name, self.secondary, self.code, self.scope.outline()

    @classmethod
    def from_plain(cls, source: str, plain: Sequence[Any]) -> ScriptProgram:
        """Return the program that ``to_plain`` was called for, with the default budget."""
        name, secondary, code, outline = plain
        return cls(name, secondary, source, code, Scope.from_outline(outline), DEFAULT_BUDGET)

    def start(self, host: ScriptHost, sockets: SocketPort | None = None) -> ScriptRun:
        """Return a run of the program; it executes nothing until it is stepped."""
        return ScriptRun(self, host, TcpSockets() if sockets is None else sockets)


@functools.lru_cache(maxsize=KEPT)
def _loaded(source: str, budget: Budget) -> ScriptProgram:
    return ScriptProgram.compile(source, budget)


def _without_labels(statements: list[n.Statement]) -> list[n.Statement]:
    """Drop labels beside definitions: such a text runs its last definition."""
    if not any(isinstance(s, n.Define) for s in statements):
        return statements
    return [s for s in statements if not _is_label(s)]


def _is_label(statement: n.Statement) -> bool:
    call = statement.value if isinstance(statement, n.Evaluate) else None
    return isinstance(call, n.Call) and call.name == LABEL_CALL


def _without_own_call(statements: list[n.Statement]) -> list[n.Statement]:
    """Drop a call of the last definition at the end: a definition runs without being called."""
    if len(statements) < 2 or not all(isinstance(s, n.Define) for s in statements[:-1]):
        return statements
    *_, define, last = statements
    call = last.value if isinstance(last, n.Evaluate) else None
    if not isinstance(define, n.Define) or not isinstance(call, n.Call):
        return statements
    own = call.name == define.name and not call.arguments and define.kind != "thread"
    return statements[:-1] if own and not define.parameters else statements


def _check_functions(body: list[n.Statement], most: int) -> None:
    """Raise ScriptError if a program defines more functions than it may."""
    defines = [s for s in walk(body, nested=True) if isinstance(s, n.Define)]
    if len(defines) > most:
        place = defines[most].line, defines[most].column
        raise ScriptError(f"Program too long, at most {most} functions", *place)


def _check_secondary(body: list[n.Statement]) -> None:
    """Raise ScriptCompileError for what takes time: a secondary program has none."""
    for statement in walk(body, nested=True):
        for expression in expressions(statement):
            builtin = BUILTINS.get(expression.name) if isinstance(expression, n.Call) else None
            timed = builtin is not None and builtin.blocking and builtin.name not in INSTANT
            if timed or isinstance(expression, n.Run):
                text = f"{SECONDARY}{getattr(expression, 'name', '')} takes time"
                raise ScriptCompileError(text, expression.line, expression.column)


INSTANT = frozenset({"popup", "socket_open"})
"""Blocking builtins that secondary programs may call nevertheless, as on a real controller."""


class ScriptRun:
    """A program that runs.

    Attributes:
        program: the program.
        state: where it stands.
        error: why it failed; None unless it failed.
        runtime: its surroundings.
    """

    def __init__(self, program: ScriptProgram, host: ScriptHost, sockets: SocketPort) -> None:
        self.program, self.state = program, State.RUNNING
        self.error: ScriptError | None = None
        self.runtime = Runtime(host, sockets, program.budget)
        self._names = self.runtime.namespace()
        self.interpreter = Interpreter(self._names, program.scope.copy(), program.budget)
        self.runtime.interpreter = self.interpreter
        exec(program.code, self._names)  # noqa: S102 - code from our own compiler, no builtins
        self.runtime.scheduler.spawn(self._names[MAIN], program.name)

    @property
    def running(self) -> bool:
        """Whether the program still runs."""
        return self.state is State.RUNNING

    @property
    def line(self) -> int:
        """Line that the main thread is at; 0 if the program has ended."""
        threads = self.runtime.scheduler.threads
        return threads[0].line if threads else 0

    def variable(self, name: str) -> Any:
        """Return the value of a variable of the program; raise KeyError if it has none yet."""
        return self._names[f"v_{name}"]

    def global_variables(self) -> list[tuple[str, Any]]:
        """Return names and values of the variables declared ``global``; None without a value."""
        names = self.interpreter.scope.declared
        return [(name, self._names.get(f"v_{name}")) for name in names]

    def step(self) -> State:
        """Run the program for one control cycle and return its state."""
        if not self.running:
            return self.state
        scheduler = self.runtime.scheduler
        try:
            scheduler.step()
        except ProgramHalted:
            return self._end(State.HALTED)
        except ScriptError as error:
            self.error = self._worded(error)
            return self._end(State.FAILED)
        if scheduler.ended:
            return self._end(State.FINISHED)
        return self.state

    def _worded(self, error: ScriptError) -> ScriptError:
        """Return an error with the text that a controller sends for this kind of program."""
        if not self.program.secondary:
            return error
        return type(error)(SECONDARY + error.text, error.line, error.column)

    def stop(self) -> None:
        """End the program from outside."""
        if self.running:
            self._end(State.STOPPED)

    def _end(self, state: State) -> State:
        self.state = state
        self.runtime.scheduler.close()
        self.runtime.sockets.close_all()
        # Without its functions the namespace is freed at once, not by the garbage collector,
        # whose passes would hold up the control cycle.
        for name in [name for name in self._names if not name.startswith("v_")]:
            del self._names[name]
        return state
