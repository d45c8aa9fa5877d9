"""The result of a job as plain data: verdict, figures, tables, notes and files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

from armtwin.app.jobs.chart_data import (
    BarsData,
    ChartData,
    ForestData,
    SankeyData,
    bars_data,
    chart_data,
    forest_data,
    sankey_data,
)
from armtwin.report.numbers import MISSING
from armtwin.report.page import Facts, Page, Table, Text
from armtwin.report.renderers.cells import cell

Cell = str | float | int | None


class OutcomeTable(BaseModel):
    """A table: column headers and rows."""

    title: str = ""
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Fact(BaseModel):
    """A named figure."""

    name: str
    value: str


class File(BaseModel):
    """A file for download: its name in the job's folder, and a label."""

    name: str
    label: str


class Outcome(BaseModel):
    """The result of a job; ``finding`` answers its question in one sentence.

    ``proposed_arm`` is a catalogue arm that fits better; empty without one.
    """

    finding: str = ""
    proposed_arm: str = ""
    passed: bool | None = None
    verdict: str = ""
    facts: tuple[Fact, ...] = ()
    charts: tuple[ChartData, ...] = ()
    bars: tuple[BarsData, ...] = ()
    forests: tuple[ForestData, ...] = ()
    sankeys: tuple[SankeyData, ...] = ()
    tables: tuple[OutcomeTable, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[File, ...] = ()

    def with_file(self, name: str, label: str) -> Outcome:
        """Return the outcome with one more file."""
        return self.model_copy(update={"files": (*self.files, File(name=name, label=label))})

    def with_note(self, text: str) -> Outcome:
        """Return the outcome with one more note."""
        return self.model_copy(update={"notes": (*self.notes, text)})


def outcome_of(page: Page) -> Outcome:
    """Return what a page shows: verdict, figures, facts, tables and texts.

    Of detail sections only figures are taken.
    """
    shown = [part for section in page.sections if not section.detail for part in section.parts]
    more = [row for part in shown if isinstance(part, Facts) for row in part.rows]
    tables = [part for part in shown if isinstance(part, Table)]
    return Outcome(
        finding=page.finding,
        proposed_arm=page.proposed_arm,
        passed=page.verdict.passed if page.verdict else None,
        verdict=page.verdict.text if page.verdict else "",
        facts=facts((*page.facts, *more)),
        charts=chart_data(page),
        bars=bars_data(page),
        forests=forest_data(page),
        sankeys=sankey_data(page),
        tables=tuple(table(part.heads, part.rows, part.caption) for part in tables),
        notes=tuple(part.text for part in shown if isinstance(part, Text)),
    )


def facts(pairs: Iterable[tuple[str, str]]) -> tuple[Fact, ...]:
    """Return figures from pairs of name and value."""
    return tuple(Fact(name=name, value=value) for name, value in pairs)


def files(pairs: Iterable[tuple[str, str]]) -> tuple[File, ...]:
    """Return files from pairs of name and label."""
    return tuple(File(name=name, label=label) for name, label in pairs)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> OutcomeTable:
    """Return a table with numbers rounded for display; gaps and integers stay as they are.

    Args:
        heads: one per column.
        rows: cells.
        title: of the table.
    """
    shown = tuple(tuple(map(_shown, row)) for row in rows)
    return OutcomeTable(title=title, heads=tuple(heads), rows=shown)


def _shown(value: Any) -> Cell:
    text = cell(value)
    return value if isinstance(value, int) else None if text == MISSING else text
