"""Checks of a table of inputs against the interface of an FMU."""

from __future__ import annotations

from collections.abc import Mapping

from armtwin.errors import InputError
from armtwin.fmu.loading.interface import Interface
from armtwin.fmu.loading.scalar import Scalar
from armtwin.fmu.run.grid import Grid


def check_inputs(
    interface: Interface, table: Grid, start: Mapping[str, float], defaults: bool
) -> tuple[str, ...]:
    """Refuse missing inputs and values that no integer can hold; return inputs left as they are.

    Args:
        interface: the FMU's interface.
        table: the inputs.
        start: values by name for inputs without a column.
        defaults: let other inputs keep the FMU's start values.
    """
    inputs = interface.with_causality("input")
    missing = [name for s in inputs for name in _without_column(s, table, start)]
    if missing and not defaults:
        raise InputError(
            f"no column for the inputs {', '.join(missing)}; the table has "
            f"{', '.join(table.names) or 'no columns'}; add them, give them start values (start), "
            "or let them keep the FMU's own (defaults)"
        )
    for scalar in inputs:
        _check_columns(scalar, interface.kind(scalar), table)
    return tuple(missing)


def _without_column(scalar: Scalar, table: Grid, start: Mapping[str, float]) -> list[str]:
    """Return the entries of an input that neither a column nor a start value gives."""
    given = scalar.columns(table.names)
    if len(given) == len(scalar.entries):
        return []
    if given:
        raise InputError(
            f"input {scalar.name} is an array of {len(scalar.entries)} numbers, but the table has "
            f"{', '.join(given)} alone; an array is set as a whole: add the other columns"
        )
    return [name for name in scalar.entries if name not in start]


def _check_columns(scalar: Scalar, kind: str | None, table: Grid) -> None:
    """Refuse columns of an input that is not numeric, and numbers that an integer cannot hold.

    Args:
        scalar: the input.
        kind: how its value lies in memory; None where it is no number.
        table: the inputs.
    """
    columns = scalar.columns(table.names)
    if not columns or (kind is not None and kind[0] == "F"):
        return
    if kind is None:
        raise InputError(f"input {scalar.name} is a {scalar.type}, which a table cannot give")
    for name in columns:
        for row, value in enumerate(table.column(name), 1):
            if not abs(value) < 2**31 or value != int(value):
                raise InputError(f"input {name} is a {scalar.type}, but row {row} has {value:g}")


def check_steps(interface: Interface, mode: str, table: Grid) -> None:
    """Refuse rows at unequal distances where the FMU takes equal steps only.

    Args:
        interface: the FMU's interface.
        mode: ``cs`` or ``me``.
        table: the inputs.
    """
    least, most = table.spread_of_steps()
    if mode == "me" or most - least <= 1e-6 * most:
        return
    if not interface.flag("cs", "canHandleVariableCommunicationStepSize"):
        raise InputError(
            f"this FMU takes equal steps only; the rows are {least:g} to {most:g} s apart; "
            "give rows at equal distances, or a step such as 0.002 s"
        )
