"""A program: the flat instruction list of an equation, as plain data read by every target.

Values are numbered once (static single assignment): ``steps[k]`` computes value ``k``. A step is
``(operation, operands...)``, or ``("const", number)``, or ``("input", port, index)``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from armtwin.errors import CompileError


@dataclass(frozen=True)
class Port:
    """A named input or output with its shape."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of entries."""
        total = 1
        for length in self.shape:
            total *= length
        return total


@dataclass(frozen=True)
class Program:
    """Ports, steps and, for every output entry in row order, the value that it takes."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    steps: tuple[tuple[Any, ...], ...]
    results: tuple[tuple[int, ...], ...]

    @classmethod
    def from_listing(cls, listing: dict[str, Any]) -> Program:
        """Return the program of an equation's listing (registers become numbered values).

        Raises:
            CompileError: an entry of an output has no expression.
        """
        inputs, outputs = _ports(listing["inputs"]), _ports(listing["outputs"])
        results = [[-1] * port.size for port in outputs]
        steps: list[tuple[Any, ...]] = []
        known: dict[tuple[Any, ...], int] = {}
        held: dict[int, int] = {}
        for operation, *rest in listing["instructions"]:
            if operation == "output":
                port, index, register = rest
                results[port][index] = held[register]
                continue
            register, *operands = rest
            if operation == "assign":
                held[register] = held[operands[0]]
                continue
            plain = operation in ("const", "input")
            step = (operation, *(operands if plain else [held[r] for r in operands]))
            key = ("const", repr(step[1])) if operation == "const" else step  # 0.0 is not -0.0
            if key not in known:
                known[key] = len(steps)
                steps.append(step)
            held[register] = known[key]
        for port, values in zip(outputs, results, strict=True):
            if -1 in values:
                raise CompileError(
                    f"equation {listing['name']!r}: entry {values.index(-1)} of output "
                    f"{port.name!r} has no expression; the arm has nothing to compute it from"
                )
        return cls(listing["name"], inputs, outputs, tuple(steps), tuple(map(tuple, results)))

    def to_json(self) -> str:
        """Return the program as text."""
        ports = [[[p.name, p.shape] for p in group] for group in (self.inputs, self.outputs)]
        return json.dumps([self.name, *ports, self.steps, self.results])

    @classmethod
    def from_json(cls, text: str) -> Program:
        """Return the program that ``to_json`` wrote."""
        name, inputs, outputs, steps, results = json.loads(text)
        values = (tuple(map(tuple, steps)), tuple(map(tuple, results)))
        return cls(name, _ports(inputs), _ports(outputs), *values)

    def last_uses(self) -> dict[int, int]:
        """Return for every value the step that reads it last; outputs are read at the end."""
        last = dict.fromkeys(range(len(self.steps)), -1)
        for k, (operation, *operands) in enumerate(self.steps):
            if operation not in ("const", "input"):
                last.update(dict.fromkeys(operands, k))
        for port in self.results:
            last.update(dict.fromkeys(port, len(self.steps)))
        return last


def _ports(rows: list[Any]) -> tuple[Port, ...]:
    return tuple(Port(name, tuple(shape)) for name, shape in rows)
