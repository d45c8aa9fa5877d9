"""Splitting a program: values that depend on one input alone are computed ahead of the rest.

Also fixing inputs to constants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from armtwin.compile.program import Port, Program


@dataclass(frozen=True)
class Split:
    """Two programs that together compute what one did.

    ``ahead`` reads the chosen port and returns ``c``; ``rest`` reads ``c`` instead of that port.
    """

    ahead: Program
    rest: Program


def hoist(program: Program, port: str) -> Split:
    """Return the program with every value that depends on ``port`` alone moved ahead."""
    names = [p.name for p in program.inputs]
    chosen = names.index(port)
    alone = _alone(program, chosen)
    shared = _shared(program, alone)
    ahead = _Part(program)
    results = [ahead.take(k, 0) for k in shared]
    rest = _Part(program, {k: ("input", chosen, i) for i, k in enumerate(shared)})
    kept = tuple(tuple(rest.take(k, None) for k in outputs) for outputs in program.results)
    passed = Port("c", (len(shared),))
    ports = tuple(passed if i == chosen else p for i, p in enumerate(program.inputs))
    return Split(
        Program(
            f"{program.name}_ahead",
            (program.inputs[chosen],),
            (passed,),
            tuple(ahead.steps),
            (tuple(results),),
        ),
        Program(program.name, ports, program.outputs, tuple(rest.steps), kept),
    )


def fixed(program: Program, values: Mapping[str, Sequence[float]]) -> Program:
    """Return the program with some inputs replaced by numbers."""
    kept = [k for k, port in enumerate(program.inputs) if port.name not in values]
    numbers = {k: values[p.name] for k, p in enumerate(program.inputs) if p.name in values}
    replaced: dict[int, tuple[Any, ...]] = {}
    for k, step in enumerate(program.steps):
        if step[0] == "input" and step[1] in numbers:
            replaced[k] = ("const", float(numbers[step[1]][step[2]]))
        elif step[0] == "input":
            replaced[k] = ("input", kept.index(step[1]), step[2])
    part = _Part(program, replaced)
    results = tuple(tuple(part.take(k, None) for k in outputs) for outputs in program.results)
    ports = tuple(program.inputs[k] for k in kept)
    return Program(program.name, ports, program.outputs, tuple(part.steps), results)


def _operands(step: tuple[Any, ...]) -> tuple[int, ...]:
    return () if step[0] in ("const", "input") else step[1:]


def _alone(program: Program, chosen: int) -> list[bool | None]:
    """Return per value: True if it depends on the chosen port alone, None for a constant."""
    found: list[bool | None] = []
    for step in program.steps:
        if step[0] == "const":
            found.append(None)
        elif step[0] == "input":
            found.append(step[1] == chosen)
        else:
            kinds = {found[k] for k in step[1:]}
            found.append(None if kinds == {None} else False not in kinds)
    return found


def _shared(program: Program, alone: list[bool | None]) -> list[int]:
    """Return the values that depend on the chosen port alone and are read by the rest."""
    read = {k for outputs in program.results for k in outputs}
    for k, step in enumerate(program.steps):
        if alone[k] is False:
            read.update(_operands(step))
    return sorted(k for k in read if alone[k])


@dataclass
class _Part:
    """A program copied value by value from another one."""

    source: Program
    replaced: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    steps: list[tuple[Any, ...]] = field(default_factory=list)
    held: dict[int, int] = field(default_factory=dict)

    def take(self, value: int, port: int | None) -> int:
        """Copy a value and its operands; inputs are read from ``port`` if given."""
        waiting = [value]
        while waiting:
            k = waiting[-1]
            step = self.replaced.get(k, self.source.steps[k])
            missing = [j for j in _operands(step) if j not in self.held]
            if k not in self.held and not missing:
                self._add(k, step, port)
            if k in self.held:
                waiting.pop()
            waiting += missing
        return self.held[value]

    def _add(self, k: int, step: tuple[Any, ...], port: int | None) -> None:
        if step[0] == "input" and port is not None:
            step = ("input", port, step[2])
        elif step[0] not in ("const", "input"):
            step = (step[0], *(self.held[j] for j in step[1:]))
        self.held[k] = len(self.steps)
        self.steps.append(step)
