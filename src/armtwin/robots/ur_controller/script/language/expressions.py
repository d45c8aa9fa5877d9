"""Compiler of URScript expressions to Python expressions."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from armtwin.robots.ur_controller.script.builtins.registry import Builtin
from armtwin.robots.ur_controller.script.errors import ScriptCompileError, name_not_found
from armtwin.robots.ur_controller.script.language import nodes as n
from armtwin.robots.ur_controller.script.language.python_nodes import PythonNodes
from armtwin.robots.ur_controller.script.language.scopes import Scope, expressions, root_of, walk
from armtwin.robots.ur_controller.script.runtime.list_methods import CHANGING, METHODS

OPERATORS = {"+": "_add", "-": "_subtract", "*": "_multiply", "/": "_divide", "%": "_modulo"}
COMPARISONS: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, ">": ast.Gt, "<=": ast.LtE, ">=": ast.GtE
}  # fmt: skip
LOGIC = ("and", "or", "xor", "not")
LONG_BLOCK = 200
"""Statements after which a thread can be preempted within a block without loops."""


class ExpressionCompiler(PythonNodes):
    """Compiles expressions within a scope."""

    def __init__(self, scope: Scope, builtins: Mapping[str, Builtin]) -> None:
        self.scope, self.builtins = scope, builtins

    def expression(self, node: n.Expression) -> ast.expr:
        """Return the Python expression of a URScript expression."""
        if isinstance(node, n.Constant):
            return self.constant(node.value, node)
        if isinstance(node, n.Name):
            return self.variable(node)
        if isinstance(node, n.Binary):
            return self._binary(node)
        if isinstance(node, n.Call):
            return self._call(node)
        if isinstance(node, n.Index):
            return self._index(node)
        if isinstance(node, n.ListLiteral):
            items = self.tuple([self.expression(item) for item in node.items], node)
            return self.call("_pose" if node.pose else "_list", [items], node)
        if isinstance(node, n.Unary):
            return self._unary(node)
        if isinstance(node, n.Member):
            name = self.constant(node.name, node)
            return self.call("_member", [self.expression(node.value), name], node)
        if isinstance(node, n.Method):
            return self._method(node)
        if isinstance(node, n.Run):
            return self._run(node)
        raise ScriptCompileError("Compile error: misplaced expression", node.line, node.column)

    def condition(self, node: n.Expression) -> ast.expr:
        """Return an expression with a Python boolean as its value."""
        value = self.expression(node)
        logical = isinstance(node, n.Binary) and (
            node.operator in COMPARISONS or node.operator in LOGIC
        )
        if logical or (isinstance(node, n.Unary) and node.operator == "not"):
            return value
        if isinstance(node, n.Constant) and isinstance(node.value, bool):
            return value
        return self.call("_truth", [value], node)

    def variable(self, node: n.Name) -> ast.expr:
        """Return a variable that is read; raise ScriptCompileError if there is none."""
        if self.scope.owner(node.name) is None:
            raise name_not_found(node.name, node.line, node.column)
        return self.name(f"v_{node.name}", node)

    def path(self, target: n.Expression) -> tuple[n.Name, ast.expr]:
        """Return the variable of an element or member, and the path to it as a tuple."""
        steps: list[ast.expr] = []
        node = target
        while isinstance(node, n.Member | n.Index):
            if isinstance(node, n.Member):
                steps.insert(0, self.constant(node.name, node))
            else:
                steps[:0] = [self.expression(at) for at in node.at]
            node = node.value
        if not isinstance(node, n.Name):
            raise ScriptCompileError("Compile error: not a variable", node.line, node.column)
        return node, self.tuple(steps, target)

    def is_generator(self, define: n.Define, scope: Scope) -> bool:
        """Return whether a function may take time or be preempted."""
        if define.name not in scope.generators:
            scope.generators[define.name] = self._may_yield(define, scope)
        return scope.generators[define.name]

    def _may_yield(self, define: n.Define, scope: Scope) -> bool:
        if define.kind != "def":
            return True
        statements = list(walk(define.body))
        if len(statements) > LONG_BLOCK:
            return True
        for statement in statements:
            if isinstance(statement, n.While | n.Define | n.ThreadControl):
                return True
            if isinstance(statement, n.Keyword) and statement.word == "pause":
                return True
            if any(self._takes_time(e, scope) for e in expressions(statement)):
                return True
        return False

    def _takes_time(self, expression: n.Expression, scope: Scope) -> bool:
        if not isinstance(expression, n.Call):
            return False
        if scope.function(expression.name) is not None:
            return True
        builtin = self.builtins.get(expression.name)
        return builtin is not None and builtin.blocking

    def _binary(self, node: n.Binary) -> ast.expr:
        place, sign = self.place(node), node.operator
        if sign in ("and", "or"):
            both = [self.condition(node.left), self.condition(node.right)]
            return ast.BoolOp(ast.And() if sign == "and" else ast.Or(), both, **place)
        if sign == "xor":
            left, right = self.condition(node.left), self.condition(node.right)
            return ast.Compare(left, [ast.NotEq()], [right], **place)
        left, right = self.expression(node.left), self.expression(node.right)
        if sign in COMPARISONS:
            return ast.Compare(left, [COMPARISONS[sign]()], [right], **place)
        return self.call(OPERATORS[sign], [left, right, self.name("_s", node)], node)

    def _unary(self, node: n.Unary) -> ast.expr:
        if node.operator == "not":
            return ast.UnaryOp(ast.Not(), self.condition(node.operand), **self.place(node))
        return self.call("_negate", [self.expression(node.operand)], node)

    def _index(self, node: n.Index) -> ast.expr:
        value = self.expression(node.value)
        for at in node.at:
            value = self.call("_index", [value, self.expression(at)], node)
        return value

    # Calls

    def _call(self, node: n.Call) -> ast.expr:
        found = self.scope.function(node.name)
        if found is not None:
            return self._user_call(node, *found)
        if node.name == "struct":
            return self._struct(node)
        builtin = self.builtins.get(node.name)
        if builtin is None:
            raise name_not_found(node.name, node.line, node.column)
        call = self._bound(node, builtin.parameters, f"b_{node.name}", "")
        return ast.YieldFrom(call, **self.place(node)) if builtin.blocking else call

    def _user_call(self, node: n.Call, define: n.Define, owner: Scope) -> ast.expr:
        if define.kind != "def":
            text = f"Compile error: '{node.name}' is a {define.kind}, start it with run"
            raise ScriptCompileError(text, node.line, node.column)
        parameters = [(name, default is None) for name, default in define.parameters]
        call = self._bound(node, parameters, f"f_{node.name}", "v_")
        if not self.is_generator(define, owner):
            return call
        return ast.YieldFrom(call, **self.place(node))

    def _bound(
        self, node: n.Call, parameters: Sequence[tuple[str, bool]], function: str, prefix: str
    ) -> ast.Call:
        """Return a call after checking its arguments against the parameters."""
        names = [name for name, _ in parameters]
        plain = [a for a in node.arguments if not isinstance(a, n.Named)]
        named = [a for a in node.arguments if isinstance(a, n.Named)]
        missing = {name for name, needed in parameters if needed}
        missing -= {*names[: len(plain)], *(a.name for a in named)}
        if len(plain) > len(names) or missing:
            raise self._wrong_count(node, parameters)
        taken = set(names[: len(plain)])
        for argument in named:
            if argument.name not in names or argument.name in taken:
                text = f"Type error: {node.name} got an unexpected argument '{argument.name}'"
                raise ScriptCompileError(text, argument.line, argument.column)
            taken.add(argument.name)
        call = self.call(function, [self.expression(a) for a in plain], node)
        call.keywords = [
            ast.keyword(prefix + a.name, self.expression(a.value), **self.place(a)) for a in named
        ]
        return call

    @staticmethod
    def _wrong_count(node: n.Call, parameters: Sequence[tuple[str, bool]]) -> ScriptCompileError:
        needed = sum(must for _, must in parameters)
        exact = "exactly" if needed == len(parameters) else "at least"
        bound, given = needed, len(node.arguments)
        if given > len(parameters):
            exact, bound = ("exactly" if exact == "exactly" else "at most"), len(parameters)
        words = "argument" if bound == 1 else "arguments"
        text = f"Type error: {node.name} takes {exact} {bound} {words} ({given} given)"
        return ScriptCompileError(text, node.line, node.column)

    def _struct(self, node: n.Call) -> ast.expr:
        named = [a for a in node.arguments if isinstance(a, n.Named)]
        names = tuple(a.name for a in named)
        if not named or len(named) != len(node.arguments) or len(set(names)) != len(names):
            text = "Type error: struct takes one or more named arguments"
            raise ScriptCompileError(text, node.line, node.column)
        values = self.tuple([self.expression(a.value) for a in named], node)
        return self.call("_struct", [self.constant(names, node), values], node)

    def _method(self, node: n.Method) -> ast.expr:
        if node.name not in METHODS:
            raise name_not_found(node.name, node.line, node.column)
        values = [self.expression(a) for a in node.arguments]
        arguments = [self.expression(node.value), self.constant(node.name, node)]
        result = self.call("_method", [*arguments, self.tuple(values, node)], node)
        if node.name not in CHANGING:
            return self.item(result, 1, node)
        if root_of(node.value) is None:
            text = f"Compile error: {node.name} needs a list variable"
            raise ScriptCompileError(text, node.line, node.column)
        root, path = self.path(node.value)
        new: ast.expr = self.item(self.name("w_", node), 0, node)
        if not isinstance(node.value, n.Name):
            meter = self.name("_s", node)
            new = self.call("_replaced", [self.variable(root), path, new, meter], node)
        steps = [
            self.walrus("w_", result, node),
            self.walrus(f"v_{root.name}", new, node),
            self.item(self.name("w_", node), 1, node),
        ]
        return self.item(self.tuple(steps, node), 2, node)

    def _run(self, node: n.Run) -> ast.expr:
        found = self.scope.function(node.name)
        if found is None:
            raise name_not_found(node.name, node.line, node.column)
        if found[0].kind != "thread":
            text = f"Compile error: '{node.name}' is not a thread"
            raise ScriptCompileError(text, node.line, node.column)
        name = self.constant(node.name, node)
        return self.call("_run", [self.name(f"f_{node.name}", node), name], node)
