"""Parser of URScript: text to syntax tree."""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from lark import Lark, Token, Transformer, UnexpectedInput, v_args

from armtwin.robots.ur_controller.script.errors import ScriptError, syntax_error
from armtwin.robots.ur_controller.script.language import nodes as n
from armtwin.robots.ur_controller.script.language.parser_tables import parser_of
from armtwin.robots.ur_controller.script.runtime.budget import DEFAULT_BUDGET, Budget
from armtwin.robots.ur_controller.script.runtime.values import INT_MAX, POSE_SIZE

LABEL = re.compile(r'^([ \t]*)\$[ \t]*(\d{1,9})[ \t]*("[^"\r\n]*")[^\r\n]*', re.MULTILINE)
"""A program label, a line such as ``$ 2 "MoveJ"`` that PolyScope writes for its log."""
OTHER_LABEL = re.compile(r"((?:^|[\r\n])[ \t]*)\$")
"""Begins a line that is like a label, which is taken for a comment."""
LABEL_CALL = "armtwin_label"
TOKENS = 64
"""Tokens that are parsed in one step, which takes about 1 ms; most lines have fewer."""
LONGEST_SHORT = 1024
"""Longest text that may have so few [characters]."""
MAX_DIGITS = 400
"""Digits of a literal that are read; more are beyond the range of a float."""
_TOKEN = re.compile(r"[\w.]+|[^\w\s]")
T = TypeVar("T")


def parse(source: str, budget: Budget = DEFAULT_BUDGET) -> list[n.Statement]:
    """Return the statements of a program.

    Raises:
        ScriptSyntaxError: the text is no URScript; says where.
        ScriptError: the text is too long.
    """
    return finished(parse_steps(source, budget))


def parse_steps(source: str, budget: Budget) -> Generator[None, None, list[n.Statement]]:
    """Parse a program, ``TOKENS`` at a step; a generator that returns what ``parse`` does."""
    if len(source) > budget.source_length:
        raise ScriptError(f"Program too long, at most {budget.source_length} characters", 1, 1)
    count, last = 0, None
    try:
        parsing = _lark().parse_interactive(_with_label_calls(source))
        for token in parsing.iter_parse():
            count, last = count + 1, token
            if count % TOKENS == 0:
                yield
        return cast("list[n.Statement]", parsing.feed_eof(last))  # type: ignore[no-untyped-call]
    except UnexpectedInput as error:
        raise syntax_error(source, *_place(source, error)) from None
    except _MisplacedNode as error:
        raise syntax_error(source, error.line, error.column) from None


def is_short(source: str) -> bool:
    """Return whether a text has at most ``TOKENS`` tokens; some are counted twice."""
    return len(source) <= LONGEST_SHORT and len(_TOKEN.findall(source)) <= TOKENS


def finished(steps: Generator[object, None, T]) -> T:
    """Return what a generator returns, at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("T", end.value)


def _with_label_calls(source: str) -> str:
    """Return a text whose labels are calls that report them, each in its line."""
    if "$" not in source:
        return source
    text = LABEL.sub(rf"\1{LABEL_CALL}(\2, \3)", source)
    return OTHER_LABEL.sub(r"\1#", text)


def _place(source: str, error: UnexpectedInput) -> tuple[int, int]:
    """Return line and column of a syntax error; the last line if the text ends too early."""
    token = getattr(error, "token", None)
    if token is not None and token.type == "$END":
        lines = source.splitlines() or [""]
        return len(lines), len(lines[-1]) + 1
    return max(int(error.line), 1), max(int(error.column), 1)


@functools.cache
def _lark() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return parser_of(grammar, _Tree())


class _MisplacedNode(Exception):
    """A node at a place where the grammar allows it but the language does not."""

    def __init__(self, node: n.SyntaxNode) -> None:
        super().__init__(node)
        self.line, self.column = node.line, node.column


class _Word(Protocol):
    """A token of the text, a string with its position."""

    line: int
    column: int


@v_args(inline=True)
class _Tree(Transformer[Token, Any]):
    """Builds nodes while the parser runs, so that no tree has to be walked."""

    def start(self, *statements: n.Statement) -> list[n.Statement]:
        return list(statements)

    def block(self, *statements: n.Statement) -> list[n.Statement]:
        return list(statements)

    # Statements

    def assignment(self, target: n.SyntaxNode, value: n.Expression) -> n.Assign:
        root = target
        while isinstance(root, n.Member | n.Index):
            root = root.value
        if not isinstance(target, n.Name | n.Member | n.Index) or not isinstance(root, n.Name):
            raise _MisplacedNode(target)
        return n.Assign(target.line, target.column, target, value, "")

    def declaration(self, scope: _Word, name: _Word, value: n.Expression) -> n.Assign:
        target = n.Name(name.line, name.column, str(name))
        return n.Assign(scope.line, scope.column, target, value, str(scope))  # type: ignore[arg-type]

    def define(
        self, kind: _Word, name: _Word, parameters: list[Any] | None, body: Any, _: _Word
    ) -> n.Define:
        return n.Define(kind.line, kind.column, str(kind), str(name), parameters or [], body)  # type: ignore[arg-type]

    def parameters(self, *parameters: tuple[str, n.Expression | None]) -> list[Any]:
        return list(parameters)

    def parameter(self, name: _Word, default: n.Expression | None) -> tuple[str, Any]:
        return str(name), default

    def condition(self, word: _Word, test: n.Expression, block: Any, *rest: Any) -> n.If:
        *alternatives, _, otherwise, _ = rest
        return n.If(word.line, word.column, [(test, block), *alternatives], otherwise or [])

    def alternative(self, _: _Word, test: n.Expression, block: Any) -> tuple[Any, Any]:
        return test, block

    def loop(self, word: _Word, test: n.Expression, body: Any, _: _Word) -> n.While:
        return n.While(word.line, word.column, test, body)

    def give(self, word: _Word, value: n.Expression) -> n.Return:
        return n.Return(word.line, word.column, value)

    def give_nothing(self, word: _Word) -> n.Return:
        return n.Return(word.line, word.column, None)

    def keyword(self, word: _Word, *_: Any) -> n.Keyword:
        return n.Keyword(word.line, word.column, str(word))

    def control(self, word: _Word, handle: n.Expression) -> n.ThreadControl:
        return n.ThreadControl(word.line, word.column, str(word), handle)

    def evaluate(self, value: n.Expression) -> n.Evaluate:
        if not isinstance(value, n.Call | n.Method | n.Run):
            raise _MisplacedNode(value)
        return n.Evaluate(value.line, value.column, value)

    # Expressions

    def binary(self, left: n.Expression, word: _Word, right: n.Expression) -> n.Binary:
        return n.Binary(left.line, left.column, str(word), left, right)

    def negate(self, word: _Word, operand: n.Expression) -> n.Unary:
        return n.Unary(word.line, word.column, "not", operand)

    def sign(self, word: _Word, operand: n.Expression) -> n.Expression:
        if str(word) == "+":
            return operand
        if isinstance(operand, n.Constant) and type(operand.value) in (int, float):
            return n.Constant(word.line, word.column, -operand.value)  # type: ignore[operator]
        return n.Unary(word.line, word.column, "-", operand)

    def name(self, name: _Word) -> n.Name:
        return n.Name(name.line, name.column, str(name))

    def number(self, text: _Word) -> n.Constant:
        return n.Constant(text.line, text.column, _number(str(text)))

    def text(self, text: _Word) -> n.Constant:
        return n.Constant(text.line, text.column, str(text)[1:-1])

    def boolean(self, word: _Word) -> n.Constant:
        return n.Constant(word.line, word.column, str(word) == "True")

    def list(self, bracket: _Word, items: Any = None) -> n.ListLiteral:
        return n.ListLiteral(bracket.line, bracket.column, items or [])

    def expressions(self, *items: n.Expression) -> Any:
        return [*items]

    arguments = expressions

    def named(self, name: _Word, value: n.Expression) -> n.Named:
        return n.Named(name.line, name.column, str(name), value)

    def call(self, name: _Word, arguments: Any) -> n.Call:
        return n.Call(name.line, name.column, str(name), arguments or [])

    def method(self, value: n.Expression, name: _Word, arguments: Any) -> n.Method:
        return n.Method(value.line, value.column, value, str(name), arguments or [])

    def member(self, value: n.Expression, name: _Word) -> n.Member:
        return n.Member(value.line, value.column, value, str(name))

    def index(self, value: n.Expression, _: _Word, at: Any) -> n.Expression:
        if isinstance(value, n.Name) and value.name == "p" and len(at) == POSE_SIZE:
            return n.ListLiteral(value.line, value.column, at, pose=True)
        if len(at) > 2:
            raise _MisplacedNode(at[2])
        return n.Index(value.line, value.column, value, at)

    def run(self, word: _Word, name: _Word) -> n.Run:
        return n.Run(word.line, word.column, str(name))


def _number(text: str) -> int | float:
    """Return a literal's value: an integer of 32 bits or else a float, inf beyond its range."""
    is_hex = text[:2] in ("0x", "0X")
    if not is_hex and not text.isdigit():
        return float(text)
    digits = text[2 * is_hex :].lstrip("0") or "0"
    if len(digits) > MAX_DIGITS:
        return math.inf
    value = int(digits, 16 if is_hex else 10)
    if value <= INT_MAX:
        return value
    return float(value) if value <= sys.float_info.max else math.inf
