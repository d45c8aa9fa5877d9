"""Syntax tree of a URScript program. Lines and columns count from 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True)
class SyntaxNode:
    """A piece of a program and where it begins."""

    line: int
    column: int


class Expression(SyntaxNode):
    """Something with a value."""

    __slots__ = ()


class Statement(SyntaxNode):
    """Something that is executed."""

    __slots__ = ()


@dataclass(slots=True)
class Constant(Expression):
    """A number, string or boolean."""

    value: int | float | str | bool


@dataclass(slots=True)
class Name(Expression):
    """A variable."""

    name: str


@dataclass(slots=True)
class ListLiteral(Expression):
    """``[a, b]``, or with ``pose`` ``p[x, y, z, rx, ry, rz]``."""

    items: list[Expression]
    pose: bool = False


@dataclass(slots=True)
class Unary(Expression):
    """``-a`` or ``not a``."""

    operator: str
    operand: Expression


@dataclass(slots=True)
class Binary(Expression):
    """An operator with two operands: arithmetic, comparison or logic."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True)
class Named(Expression):
    """An argument given by name."""

    name: str
    value: Expression


@dataclass(slots=True)
class Call(Expression):
    """A call of a function by name."""

    name: str
    arguments: list[Expression]


@dataclass(slots=True)
class Method(Expression):
    """A call of a method of a list or remote object."""

    value: Expression
    name: str
    arguments: list[Expression]


@dataclass(slots=True)
class Member(Expression):
    """A member of a struct."""

    value: Expression
    name: str


@dataclass(slots=True)
class Index(Expression):
    """``a[i]`` or ``a[row, column]``."""

    value: Expression
    at: list[Expression]


@dataclass(slots=True)
class Run(Expression):
    """The start of a thread; its value is the thread's handle."""

    name: str


@dataclass(slots=True)
class Assign(Statement):
    """``target = value`` with an optional ``global`` or ``local``."""

    target: Name | Member | Index
    value: Expression
    scope: Literal["", "global", "local"]


@dataclass(slots=True)
class Evaluate(Statement):
    """A call whose value is not used."""

    value: Expression


@dataclass(slots=True)
class If(Statement):
    """Conditions with their blocks, and the block of ``else``."""

    branches: list[tuple[Expression, list[Statement]]]
    otherwise: list[Statement]


@dataclass(slots=True)
class While(Statement):
    """A loop."""

    condition: Expression
    body: list[Statement]


@dataclass(slots=True)
class Return(Statement):
    """A return, with or without a value."""

    value: Expression | None


@dataclass(slots=True)
class Keyword(Statement):
    """``halt``, ``break``, ``continue``, ``pause``, ``enter_critical`` or ``exit_critical``."""

    word: str


@dataclass(slots=True)
class ThreadControl(Statement):
    """``kill`` or ``join`` of a thread."""

    word: str
    handle: Expression


@dataclass(slots=True)
class Define(Statement):
    """A function, thread or secondary program.

    ``parameters`` are names with their default, None for a parameter without one.
    """

    kind: Literal["def", "thread", "sec"]
    name: str
    parameters: list[tuple[str, Expression | None]]
    body: list[Statement]
