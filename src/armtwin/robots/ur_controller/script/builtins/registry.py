"""Declaration of builtin functions.

The signature of the Python function is the signature in URScript: names, order and defaults. A
first parameter ``rt`` receives the runtime. A generator function takes controller time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)


@dataclass(frozen=True)
class Builtin:
    """A builtin function.

    Attributes:
        name: as called in URScript.
        function: the Python function.
        blocking: whether a call may take controller time.
        bound: whether the function takes the runtime as its first argument.
        cost: statements that a call counts for in the budget; a statement is about 0.15 us.
        parameters: names in order, with True for those that must be given.
    """

    name: str
    function: Function
    blocking: bool
    bound: bool
    cost: int
    parameters: tuple[tuple[str, bool], ...]

    @property
    def signature(self) -> str:
        """Return name and parameters with defaults, such as ``sleep(t)``."""
        given = list(inspect.signature(self.function).parameters.values())[self.bound :]
        shown = [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in given]
        return f"{self.name}({', '.join(shown)})"


class Group:
    """The builtins of one module, collected by its decorator."""

    def __init__(self) -> None:
        self.builtins: dict[str, Builtin] = {}

    @overload
    def __call__(self, function: F, *, cost: int = 1, name: str = "") -> F: ...

    @overload
    def __call__(self, *, cost: int = 1, name: str = "") -> Callable[[F], F]: ...

    def __call__(self, function: Function | None = None, *, cost: int = 1, name: str = "") -> Any:
        """Register a function; usable as ``@group`` and ``@group(cost=50)``."""
        if function is None:
            return lambda inner: self(inner, cost=cost, name=name)
        given = list(inspect.signature(function).parameters.values())
        bound = bool(given) and given[0].name == "rt"
        parameters = tuple((p.name, p.default is p.empty) for p in given[bound:])
        own = name or function.__name__
        blocking = inspect.isgeneratorfunction(function)
        self.builtins[own] = Builtin(own, function, blocking, bound, cost, parameters)
        return function
