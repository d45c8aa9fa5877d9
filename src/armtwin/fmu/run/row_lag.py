"""The one-row lag of co-simulation: which outputs have it, so that it can be undone and stated.

A master sets the inputs of row k at t_k, steps to t_(k+1) and reads there. An output that follows
directly from the inputs is then that of row k, one row late. An output that follows from states
belongs to t_(k+1), where it was read.
"""

from __future__ import annotations

from dataclasses import dataclass

from armtwin.fmu.loading.fmu_library import Library
from armtwin.fmu.loading.instance import Instance
from armtwin.fmu.loading.interface import Interface
from armtwin.fmu.loading.scalar import Scalar
from armtwin.fmu.run.grid import Grid
from armtwin.fmu.run.run_plan import Plan

MAX_PROBES = 32
"""Rows, farthest from row 0 in one input each, that are probed at most: bounds the FMU's steps."""
NOT_ASKED = (
    "rows are as the master read them: outputs that follow directly from inputs are one row late"
)


@dataclass(frozen=True)
class RowLag:
    """Outputs that were moved one row earlier.

    Attributes:
        moved: outputs that follow from the inputs alone.
        mixed: outputs that follow from inputs and states, left where they were read.
        why: how this is known, in a sentence.
    """

    moved: tuple[str, ...]
    mixed: tuple[str, ...]
    why: str

    @property
    def rows(self) -> int:
        """The lag that was undone, in rows."""
        return int(bool(self.moved))


def find_lag(library: Library, table: Grid, start: dict[str, float]) -> RowLag:
    """Return which outputs of a run would be one row late.

    Args:
        library: the loaded FMU.
        table: the inputs of the run.
        start: start values of the run.
    """
    interface = library.interface
    if library.mode == "me":
        return RowLag((), (), "model exchange: outputs stand at the time of their inputs, no lag")
    outputs = [s for s in interface.with_causality("output") if interface.kind(s) is not None]
    unknown = [
        name for s in outputs if interface.dependencies.get(s.name) is None for name in s.entries
    ]
    moved, mixed = _declared(interface, outputs)
    if unknown and _may_probe(library, table):
        moved += [name for name in _memoryless(library, table, start) if name in unknown]
        why = "found by repeating inputs: the file does not declare what outputs depend on"
    elif unknown:
        why = "the file does not declare what outputs depend on, and it could not be tried"
    else:
        why = "by the dependencies that the file declares"
    names = (name for s in outputs for name in s.entries)
    return RowLag(tuple(name for name in names if name in moved), tuple(mixed), why)


def _declared(interface: Interface, outputs: list[Scalar]) -> tuple[list[str], list[str]]:
    """Return the entries of outputs that follow from inputs alone, and from states as well."""
    inputs = {scalar.name for scalar in interface.with_causality("input")}
    states = set(interface.states)
    moved, mixed = list[str](), list[str]()
    for output in outputs:
        needs = set(interface.dependencies.get(output.name) or ())
        if needs & inputs:
            (mixed if needs & states else moved).extend(output.entries)
    return moved, mixed


def _may_probe(library: Library, table: Grid) -> bool:
    once = library.interface.flag("cs", "canBeInstantiatedOnlyOncePerProcess")
    return not once and table.rows > 1 and table.width > 0


def _memoryless(library: Library, table: Grid, start: dict[str, float]) -> list[str]:
    """Return the outputs that answer the same inputs with the same numbers, and others otherwise.

    Steps take row 0 again and again, and in between the rows that are farthest from it in one
    input each.
    """
    others = sorted({_farthest(table, name) for name in table.names} - {0})[:MAX_PROBES]
    rows = [0] + [k for other in others for k in (other, 0)]
    probe = table.picked(rows, table.spread_of_steps()[0])
    with Instance(library, "probe") as instance:
        plan = Plan(instance, probe, 1.0)
        instance.initialize(probe.time[0], probe.time[-1], start)
        if not plan.call("host_begin"):
            return []
        instance.call("ExitInitializationMode")
        if not plan.call("host_cosimulate", 0, probe.rows):
            return []
        instance.call("Terminate")
    answers = [plan.output_row(k) for k in range(1, probe.rows + 1)]
    found = []
    for name, values in zip(plan.output_names, zip(*answers, strict=True), strict=True):
        same = all(value == values[0] for value in values[::2])
        if same and any(value != values[0] for value in values[1::2]):
            found.append(name)
    return found


def _farthest(table: Grid, name: str) -> int:
    """Return the row where a column is farthest from its first value."""
    values = table.column(name)
    return max(range(table.rows), key=lambda k: abs(values[k] - values[0]))
