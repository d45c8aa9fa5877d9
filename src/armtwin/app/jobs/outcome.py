"""What a job brings back: a verdict, figures, tables, notes and files, as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

Cell = str | float | int | None
NOTHING = 1e-9
"""What is smaller than this in the units that people read is shown as 0."""


class OutcomeTable(BaseModel):
    """Rows under heads."""

    title: str = ""
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Fact(BaseModel):
    """One figure by name."""

    name: str
    value: str


class File(BaseModel):
    """A file to take away: its name in the job's folder, and what it is."""

    name: str
    label: str


class Outcome(BaseModel):
    """The result of a job."""

    passed: bool | None = None
    verdict: str = ""
    facts: tuple[Fact, ...] = ()
    tables: tuple[OutcomeTable, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[File, ...] = ()

    def with_file(self, name: str, label: str) -> Outcome:
        """Return the outcome with one more file."""
        return self.model_copy(update={"files": (*self.files, File(name=name, label=label))})

    def with_note(self, text: str) -> Outcome:
        """Return the outcome with one more note."""
        return self.model_copy(update={"notes": (*self.notes, text)})


def facts(pairs: Iterable[tuple[str, str]]) -> tuple[Fact, ...]:
    """Return figures from pairs of name and value."""
    return tuple(Fact(name=name, value=value) for name, value in pairs)


def files(pairs: Iterable[tuple[str, str]]) -> tuple[File, ...]:
    """Return files from pairs of name and label."""
    return tuple(File(name=name, label=label) for name, label in pairs)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> OutcomeTable:
    """Return a table whose numbers are rounded for people."""
    return OutcomeTable(
        title=title, heads=tuple(heads), rows=tuple(tuple(map(_cell, row)) for row in rows)
    )


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, str | int):
        return value
    number = float(value)
    if not math.isfinite(number):
        return None
    return "0" if abs(number) < NOTHING else f"{number:.4g}"
