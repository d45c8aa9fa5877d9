"""Scope of variables and functions.

A variable assigned without qualifier belongs to the innermost enclosing function that has declared
it further up in the text, or to the globals if some statement declares it ``global``; otherwise it
is local. ``local`` always makes a new variable of the function. Functions have names of their own,
apart from variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from armtwin.robots.ur_controller.script.language import nodes as n

Key = tuple[str, int, int]
Outline = tuple[list[str], list[tuple[Any, ...]], list[str]]
"""Variables, functions and global variables of a program as plain values."""


def key(define: n.Define) -> Key:
    """Return name, line and column of a definition."""
    return define.name, define.line, define.column


@dataclass(eq=False)
class Scope:
    """The names of one function; ``parent`` is None for the program itself.

    Attributes:
        variables: variables of this function.
        borrowed: variables of enclosing scopes that this function assigns, with their scope.
        functions: functions and threads defined in it.
        children: scopes of these, by name and place: a function may be defined anew.
        generators: whether each of these is compiled to a generator, as far as known.
        declared: variables declared ``global``, in the order of the text.
    """

    parent: Scope | None = None
    variables: set[str] = field(default_factory=set)
    borrowed: dict[str, Scope] = field(default_factory=dict)
    functions: dict[str, n.Define] = field(default_factory=dict)
    children: dict[Key, Scope] = field(default_factory=dict)
    generators: dict[str, bool] = field(default_factory=dict)
    declared: dict[str, None] = field(default_factory=dict)

    @property
    def program(self) -> Scope:
        """The outermost scope."""
        return self if self.parent is None else self.parent.program

    def copy(self) -> Scope:
        """Return a scope with the same names, to which more can be added."""
        mine = (self.variables.copy(), self.borrowed.copy(), self.functions.copy())
        functions = (self.children.copy(), self.generators.copy())
        return Scope(self.parent, *mine, *functions, self.declared.copy())

    def outline(self) -> Outline:
        """Return as plain values what statements that are added later need to know."""
        functions = [
            (f.kind, f.name, f.line, f.column,
             [(name, default is not None) for name, default in f.parameters],
             self.generators.get(f.name, True))
            for f in self.functions.values()
        ]  # fmt: skip
        return sorted(self.variables), functions, [*self.declared]

    @classmethod
    def from_outline(cls, outline: Outline) -> Scope:
        """Return the scope of a program from its outline; its functions have no bodies."""
        scope = cls(variables=set(outline[0]), declared=dict.fromkeys(outline[2]))
        for kind, name, line, column, parameters, generator in outline[1]:
            given = n.Constant(line, column, 0)
            defaults: list[tuple[str, n.Expression | None]] = [
                (p, given if optional else None) for p, optional in parameters
            ]
            scope.functions[name] = n.Define(line, column, kind, name, defaults, [])
            scope.generators[name] = generator
        return scope

    def owner(self, name: str) -> Scope | None:
        """Return the innermost scope that has a variable, or None."""
        if name in self.variables:
            return self
        return self.parent.owner(name) if self.parent is not None else None

    def function(self, name: str) -> tuple[n.Define, Scope] | None:
        """Return the function of a name and the scope that defines it, or None."""
        if name in self.functions:
            return self.functions[name], self
        return self.parent.function(name) if self.parent is not None else None


def analyse(body: Sequence[n.Statement], scope: Scope) -> None:
    """Enter the names that a program's statements declare into its scope."""
    for statement in walk(body, nested=True):
        if isinstance(statement, n.Assign) and statement.scope == "global":
            name, program = _root(statement.target).name, scope.program
            program.variables.add(name)
            program.declared[name] = None
    _declare(body, scope)
    _borrow(body, scope)


def _declare(body: Sequence[n.Statement], scope: Scope) -> None:
    """Declare what is assigned, in the order of the text."""
    for statement in walk(body):
        if isinstance(statement, n.Assign) and statement.scope == "local":
            scope.variables.add(_root(statement.target).name)
        if isinstance(statement, n.Define):
            scope.functions[statement.name] = statement
            scope.generators.pop(statement.name, None)
    for statement in walk(body):
        if isinstance(statement, n.Assign) and isinstance(statement.target, n.Name):
            if scope.owner(statement.target.name) is None:
                scope.variables.add(statement.target.name)
        elif isinstance(statement, n.Define):
            child = scope.children[key(statement)] = Scope(scope)
            child.variables.update(name for name, _ in statement.parameters)
            _declare(statement.body, child)


def _borrow(body: Sequence[n.Statement], scope: Scope) -> None:
    """Note which variables of enclosing scopes each function writes."""
    for name in written(body):
        owner = scope.owner(name)
        if owner is not None and owner is not scope:
            scope.borrowed[name] = owner
    for statement in walk(body):
        if isinstance(statement, n.Define):
            _borrow(statement.body, scope.children[key(statement)])


def walk(body: Sequence[n.Statement], *, nested: bool = False) -> Iterator[n.Statement]:
    """Yield statements in the order of the text, those of inner blocks included.

    Args:
        body: a block.
        nested: whether to go into functions defined in it.
    """
    for statement in body:
        yield statement
        if isinstance(statement, n.If):
            for _, block in statement.branches:
                yield from walk(block, nested=nested)
            yield from walk(statement.otherwise, nested=nested)
        elif isinstance(statement, n.While) or (nested and isinstance(statement, n.Define)):
            yield from walk(statement.body, nested=nested)


def written(body: Sequence[n.Statement]) -> Iterator[str]:
    """Yield the variables that a block writes, by assignment or by a method of a list."""
    for statement in walk(body):
        if isinstance(statement, n.Assign):
            yield _root(statement.target).name
        for expression in expressions(statement):
            if isinstance(expression, n.Method):
                root = root_of(expression.value)
                if root is not None:
                    yield root.name


def expressions(statement: n.Statement) -> Iterator[n.Expression]:
    """Yield all expressions of a statement, inner ones included, without those of its blocks."""
    tops: list[n.Expression] = []
    if isinstance(statement, n.Assign):
        tops = [statement.target, statement.value]
    elif isinstance(statement, n.Evaluate):
        tops = [statement.value]
    elif isinstance(statement, n.If):
        tops = [test for test, _ in statement.branches]
    elif isinstance(statement, n.While):
        tops = [statement.condition]
    elif isinstance(statement, n.Return) and statement.value is not None:
        tops = [statement.value]
    elif isinstance(statement, n.ThreadControl):
        tops = [statement.handle]
    elif isinstance(statement, n.Define):
        tops = [default for _, default in statement.parameters if default is not None]
    for top in tops:
        yield from _inner(top)


def _inner(top: n.Expression) -> Iterator[n.Expression]:
    """Yield an expression and all inner ones, without recursion: sums may be very long."""
    waiting = [top]
    while waiting:
        expression = waiting.pop()
        yield expression
        waiting.extend(reversed(_parts(expression)))


def _parts(expression: n.Expression) -> list[n.Expression]:
    parts: list[n.Expression] = []
    if isinstance(expression, n.ListLiteral):
        parts = expression.items
    elif isinstance(expression, n.Unary):
        parts = [expression.operand]
    elif isinstance(expression, n.Binary):
        parts = [expression.left, expression.right]
    elif isinstance(expression, n.Named | n.Member):
        parts = [expression.value]
    elif isinstance(expression, n.Call):
        parts = expression.arguments
    elif isinstance(expression, n.Method):
        parts = [expression.value, *expression.arguments]
    elif isinstance(expression, n.Index):
        parts = [expression.value, *expression.at]
    return parts


def root_of(expression: n.Expression) -> n.Name | None:
    """Return the variable that an element or member belongs to; None if there is none."""
    while isinstance(expression, n.Member | n.Index):
        expression = expression.value
    return expression if isinstance(expression, n.Name) else None


def _root(target: n.Expression) -> n.Name:
    root = root_of(target)
    if root is None:
        raise AssertionError("the parser allows variables as targets only")
    return root
