"""Compiler from URScript to Python functions.

Each URScript function becomes a Python function that is built from syntax nodes, never from text:
variables get the prefix ``v_``, functions ``f_``, builtins ``b_``. The code runs without Python's
builtins and without attribute access other than to the slice ``_s``, so it can reach nothing but
what ``Program`` puts into its namespace. Positions of the nodes are positions in the URScript, so
that a Python traceback names line and column.

Functions are generators: they yield place they take controller time. A function without loops,
calls of other functions and blocking builtins is compiled to a plain function. Statements are
charged to the slice per block; a thread yields at the head of a loop or function when its slice is
used up.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Mapping, Sequence
from types import CodeType

from armtwin.robots.ur_controller.script.builtins.registry import Builtin
from armtwin.robots.ur_controller.script.errors import ScriptCompileError, ScriptError, syntax_error
from armtwin.robots.ur_controller.script.language import nodes as n
from armtwin.robots.ur_controller.script.language.expressions import LONG_BLOCK, ExpressionCompiler
from armtwin.robots.ur_controller.script.language.parser import is_short
from armtwin.robots.ur_controller.script.language.python_nodes import STORE, PythonNodes
from armtwin.robots.ur_controller.script.language.scopes import (
    Scope,
    analyse,
    expressions,
    key,
    walk,
)

FILENAME = "<urscript>"
MAIN = "m_main"


def compile_steps(
    body: Sequence[n.Statement], scope: Scope, builtins: Mapping[str, Builtin], source: str
) -> Generator[None, None, CodeType]:
    """Return code that defines the program's functions and its main generator ``m_main``.

    A generator: it takes three steps unless the program is short.

    Args:
        body: statements of the program.
        scope: its scope, into which the names of the program are entered.
        builtins: functions it may call.
        source: its text, for error messages.

    Raises:
        ScriptCompileError: an unknown name, or wrong arguments.
    """
    pause = () if is_short(source) else (None,)
    try:
        analyse(body, scope)
        yield from pause
        module = ScriptCompiler(scope, builtins, source).module(body)
        yield from pause
        return compile(module, FILENAME, "exec")
    except (RecursionError, MemoryError):
        raise ScriptError("Program is nested too deeply", 1, 1) from None
    except SyntaxError as error:
        raise ScriptCompileError(f"Compile error: {error.msg}", error.lineno or 1, 1) from None


class ScriptCompiler(ExpressionCompiler):
    """Compiles the statements of one scope."""

    def __init__(self, scope: Scope, builtins: Mapping[str, Builtin], source: str) -> None:
        super().__init__(scope, builtins)
        self.source = source
        self._loops = 0
        self._plain = False
        self._thread = True

    def module(self, body: Sequence[n.Statement]) -> ast.Module:
        """Return the module of a whole program."""
        start = n.SyntaxNode(1, 1)
        defines = self._defines(body, module=True)
        inner = [*self._head(body, start, self.scope.variables), *self._block(body)]
        main = self._function(MAIN, [], inner, start)
        return ast.Module([*defines, main], [])

    # Functions

    def _defines(self, body: Sequence[n.Statement], *, module: bool = False) -> list[ast.stmt]:
        found = [s for s in walk(body) if isinstance(s, n.Define)]
        return [self._define(define) for define in found]

    def _define(self, define: n.Define) -> ast.stmt:
        inner = ScriptCompiler(self.scope.children[key(define)], self.builtins, self.source)
        inner._thread = define.kind == "thread"
        if define.kind == "thread" and define.parameters:
            raise syntax_error(self.source, define.line, define.column)
        inner._plain = not self.is_generator(define, self.scope)
        body = [
            *inner._head(define.body, define),
            *inner._defaults(define),
            *inner._defines(define.body),
            *inner._block(define.body),
            *inner._leave(define),
        ]
        names = [name for name, _ in define.parameters]
        first = next((k for k, (_, d) in enumerate(define.parameters) if d is not None), len(names))
        return self._function(f"f_{define.name}", names, body, define, len(names) - first)

    def _function(
        self,
        name: str,
        parameters: list[str],
        body: list[ast.stmt],
        at: n.SyntaxNode,
        defaults: int = 0,
    ) -> ast.stmt:
        place = PythonNodes.place(at)
        arguments = [ast.arg(f"v_{p}", None, **place) for p in parameters]
        given = [self.name("_unset", at) for _ in range(defaults)]
        spec = ast.arguments([], arguments, None, [], [], None, given)  # type: ignore[arg-type]
        return ast.FunctionDef(name, spec, body, [], None, None, **place)

    def _head(
        self, body: Sequence[n.Statement], at: n.SyntaxNode, own: set[str] | None = None
    ) -> list[ast.stmt]:
        """Return declarations, the charge of the block and the checks at a function's entry."""
        program = self.scope.program
        outer = [k for k, s in self.scope.borrowed.items() if s is program]
        enclosing = [k for k, s in self.scope.borrowed.items() if s is not program]
        shared, place = sorted({*outer, *(own or ())}), PythonNodes.place(at)
        head: list[ast.stmt] = []
        if shared:
            head.append(ast.Global([f"v_{name}" for name in shared], **place))
        if enclosing:
            head.append(ast.Nonlocal([f"v_{name}" for name in sorted(enclosing)], **place))
        head.append(self.charge(self._first_cost(body), at))
        if not self._plain:
            head += [self.change("depth", ast.Add(), at), self.check_depth(at), self.preempt(at)]
        return head

    def _defaults(self, define: n.Define) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for name, default in define.parameters:
            if default is None:
                continue
            test = self.compare(self.name(f"v_{name}", define), ast.Is(), "_unset", define)
            store = self.assign(f"v_{name}", self.expression(default), define)
            found.append(ast.If(test, [store], [], **PythonNodes.place(define)))
        return found

    def _leave(self, at: n.SyntaxNode) -> list[ast.stmt]:
        return [] if self._plain else [self.change("depth", ast.Sub(), at)]

    # Blocks

    def _block(self, body: Sequence[n.Statement], *, charged: bool = True) -> list[ast.stmt]:
        """Return the statements of a block; its charge first, unless that is paid already.

        A long block is charged in parts, between which the thread can be preempted.
        """
        found: list[ast.stmt] = []
        for number, part in enumerate(self._parts(body)):
            if number or not charged:
                found.append(self.charge(self._cost(part), part[0]))
            if number and not self._plain:
                found.append(self.preempt(part[0]))
            for statement in part:
                found += self._statement(statement)
        return found or [ast.Pass(**PythonNodes.place(n.SyntaxNode(1, 1)))]

    def _parts(self, body: Sequence[n.Statement]) -> list[list[n.Statement]]:
        """Return a block in parts of about ``LONG_BLOCK`` statements by their cost."""
        parts: list[list[n.Statement]] = []
        cost = LONG_BLOCK
        for statement in body:
            if cost >= LONG_BLOCK:
                parts.append([])
                cost = 0
            parts[-1].append(statement)
            cost += self._cost([statement])
        return parts

    def _first_cost(self, body: Sequence[n.Statement]) -> int:
        """Return what entering a block costs: its first part and one for the entry."""
        return 1 + (self._cost(self._parts(body)[0]) if body else 0)

    def _cost(self, body: Sequence[n.Statement]) -> int:
        """Return what a block costs without its inner blocks."""
        calls = (e for s in body for e in expressions(s) if isinstance(e, n.Call))
        known = (self.builtins.get(call.name) for call in calls)
        return len(body) + sum(builtin.cost - 1 for builtin in known if builtin is not None)

    def _statement(self, statement: n.Statement) -> list[ast.stmt]:
        if isinstance(statement, n.Define):
            return []
        if isinstance(statement, n.Assign):
            return self._assign(statement)
        if isinstance(statement, n.Evaluate):
            value = self.expression(statement.value)
            return [ast.Expr(value, **PythonNodes.place(statement))]
        if isinstance(statement, n.If):
            return [self._if(statement)]
        if isinstance(statement, n.While):
            return [self._while(statement)]
        if isinstance(statement, n.Return):
            return self._return(statement)
        if isinstance(statement, n.ThreadControl):
            return [self._control(statement)]
        if isinstance(statement, n.Keyword):
            return [self._keyword(statement)]
        raise AssertionError(f"unknown statement {statement}")

    def _assign(self, statement: n.Assign) -> list[ast.stmt]:
        value, target = self.expression(statement.value), statement.target
        if isinstance(target, n.Name):
            return [self.assign(f"v_{target.name}", value, statement)]
        root, path = self.path(target)
        meter = self.name("_s", target)
        new = self.call("_replaced", [self.variable(root), path, value, meter], target)
        return [self.assign(f"v_{root.name}", new, statement)]

    def _if(self, statement: n.If) -> ast.stmt:
        otherwise = self._block(statement.otherwise, charged=False) if statement.otherwise else []
        for test, block in reversed(statement.branches):
            body = self._block(block, charged=False)
            node = ast.If(self.condition(test), body, otherwise, **PythonNodes.place(test))
            otherwise = [node]
        return otherwise[0]

    def _while(self, statement: n.While) -> ast.stmt:
        self._loops += 1
        body = [
            self.charge(self._first_cost(statement.body), statement),
            self.preempt(statement),
            *self._block(statement.body),
        ]
        self._loops -= 1
        test = self.condition(statement.condition)
        return ast.While(test, body, [], **PythonNodes.place(statement))

    def _return(self, statement: n.Return) -> list[ast.stmt]:
        place = PythonNodes.place(statement)
        if statement.value is None:
            return [*self._leave(statement), ast.Return(None, **place)]
        value = self.expression(statement.value)
        if self._plain:
            return [ast.Return(value, **place)]
        keep = self.assign("r_", value, statement)
        return [keep, *self._leave(statement), ast.Return(self.name("r_", statement), **place)]

    def _control(self, statement: n.ThreadControl) -> ast.stmt:
        handle, place = self.expression(statement.handle), PythonNodes.place(statement)
        call = self.call(f"_{statement.word}", [handle], statement)
        wait = ast.YieldFrom(call, **place) if statement.word == "join" else call
        return ast.Expr(wait, **place)

    def _keyword(self, statement: n.Keyword) -> ast.stmt:
        place, word = PythonNodes.place(statement), statement.word
        if word in ("break", "continue"):
            if not self._loops:
                raise syntax_error(self.source, statement.line, statement.column)
            return ast.Break(**place) if word == "break" else ast.Continue(**place)
        if word == "halt":
            return ast.Expr(self.call("_halt", [], statement), **place)
        if word == "pause":
            wait = ast.YieldFrom(self.call("_pause", [], statement), **place)
            return ast.Expr(wait, **place)
        on = ast.Constant(word == "enter_critical", **place)
        target = ast.Attribute(self.name("_s", statement), "critical", STORE, **place)
        return ast.Assign([target], on, **place)
