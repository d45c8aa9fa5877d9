"""What a job brings back: a verdict, figures, tables, notes and files, as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

Cell = str | float | int | None


class Table(BaseModel):
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
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[File, ...] = ()


def facts(pairs: Iterable[tuple[str, str]]) -> tuple[Fact, ...]:
    """Return figures from pairs of name and value."""
    return tuple(Fact(name=name, value=value) for name, value in pairs)


def files(pairs: Iterable[tuple[str, str]]) -> tuple[File, ...]:
    """Return files from pairs of name and label."""
    return tuple(File(name=name, label=label) for name, label in pairs)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> Table:
    """Return a table whose numbers are rounded for people."""
    return Table(
        title=title, heads=tuple(heads), rows=tuple(tuple(map(_cell, row)) for row in rows)
    )


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, str | int):
        return value
    number = float(value)
    return f"{number:.4g}" if math.isfinite(number) else None
