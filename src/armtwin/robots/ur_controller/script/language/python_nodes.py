"""Python syntax nodes that carry positions in a URScript program."""

from __future__ import annotations

import ast
from typing import Any

from armtwin.robots.ur_controller.script.language.nodes import SyntaxNode

LOAD, STORE = ast.Load(), ast.Store()


class PythonNodes:
    """Makes the nodes that generated code consists of."""

    @staticmethod
    def place(at: SyntaxNode) -> dict[str, Any]:
        """Return the position of a URScript node in the terms of Python's nodes."""
        start = at.column - 1
        return {
            "lineno": at.line, "col_offset": start, "end_lineno": at.line, "end_col_offset": start
        }  # fmt: skip

    def name(self, name: str, at: SyntaxNode) -> ast.Name:
        """Return a name that is read."""
        return ast.Name(name, LOAD, **self.place(at))

    def call(self, function: str, arguments: list[ast.expr], at: SyntaxNode) -> ast.Call:
        """Return a call of a name in the namespace.

        Args:
            function: its name.
            arguments: expressions.
            at: node of the program that it belongs to, for its place.
        """
        return ast.Call(self.name(function, at), arguments, [], **self.place(at))

    def constant(self, value: Any, at: SyntaxNode) -> ast.Constant:
        """Return a constant."""
        return ast.Constant(value, **self.place(at))

    def tuple(self, items: list[ast.expr], at: SyntaxNode) -> ast.Tuple:
        """Return a tuple."""
        return ast.Tuple(items, LOAD, **self.place(at))

    def item(self, value: ast.expr, index: int, at: SyntaxNode) -> ast.Subscript:
        """Return an element of a tuple.

        Args:
            value: the tuple.
            index: of the element.
            at: node of the program that it belongs to, for its place.
        """
        return ast.Subscript(value, self.constant(index, at), LOAD, **self.place(at))

    def walrus(self, name: str, value: ast.expr, at: SyntaxNode) -> ast.NamedExpr:
        """Return an assignment within an expression.

        Args:
            name: of the variable.
            value: expression.
            at: node of the program that it belongs to, for its place.
        """
        target = ast.Name(name, STORE, **self.place(at))
        return ast.NamedExpr(target, value, **self.place(at))

    def assign(self, name: str, value: ast.expr, at: SyntaxNode) -> ast.stmt:
        """Return an assignment to a name.

        Args:
            name: of the variable.
            value: expression.
            at: node of the program that it belongs to, for its place.
        """
        return ast.Assign([ast.Name(name, STORE, **self.place(at))], value, **self.place(at))

    def compare(
        self, left: ast.expr, operator: ast.cmpop, right: str, at: SyntaxNode
    ) -> ast.Compare:
        """Return a comparison with a name.

        Args:
            left: expression.
            operator: of the comparison.
            right: name in the namespace.
            at: node of the program that it belongs to, for its place.
        """
        return ast.Compare(left, [operator], [self.name(right, at)], **self.place(at))

    # The slice

    def charge(self, statements: int, at: SyntaxNode) -> ast.stmt:
        """Return ``_s.left -= statements``."""
        target = ast.Attribute(self.name("_s", at), "left", STORE, **self.place(at))
        return ast.AugAssign(target, ast.Sub(), self.constant(statements, at), **self.place(at))

    def change(self, counter: str, operator: ast.operator, at: SyntaxNode) -> ast.stmt:
        """Return ``_s.counter += 1`` or ``-= 1``.

        Args:
            counter: attribute of the scheduler.
            operator: addition or subtraction.
            at: node of the program that it belongs to, for its place.
        """
        target = ast.Attribute(self.name("_s", at), counter, STORE, **self.place(at))
        return ast.AugAssign(target, operator, self.constant(1, at), **self.place(at))

    def _slice(self, counter: str, at: SyntaxNode) -> ast.Attribute:
        return ast.Attribute(self.name("_s", at), counter, LOAD, **self.place(at))

    def preempt(self, at: SyntaxNode) -> ast.stmt:
        """Return ``if _s.left < 0: yield _preempted``."""
        zero = self.constant(0, at)
        test = ast.Compare(self._slice("left", at), [ast.Lt()], [zero], **self.place(at))
        stop = ast.Yield(self.name("_preempted", at), **self.place(at))
        return ast.If(test, [ast.Expr(stop, **self.place(at))], [], **self.place(at))

    def check_depth(self, at: SyntaxNode) -> ast.stmt:
        """Return ``if _s.depth > _calls: _too_deep()``."""
        test = self.compare(self._slice("depth", at), ast.Gt(), "_calls", at)
        stop = ast.Expr(self.call("_too_deep", [], at), **self.place(at))
        return ast.If(test, [stop], [], **self.place(at))
