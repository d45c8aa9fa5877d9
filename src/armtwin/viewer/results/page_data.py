"""A result's page as plain data: what the app, the file and the notebook show beside the scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

from armtwin.report.numbers import MISSING
from armtwin.report.page import Facts, Page, Table, Text
from armtwin.report.renderers.cells import cell
from armtwin.viewer.results.chart_data import (
    BarsData,
    ChartData,
    ForestData,
    SankeyData,
    bars_data,
    chart_data,
    forest_data,
    sankey_data,
)

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


class PageData(BaseModel):
    """What a page shows; ``finding`` answers the reader's question in one sentence.

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


def page_data(page: Page) -> PageData:
    """Return what a page shows: verdict, figures, facts, tables and texts.

    Of detail sections only figures are taken.
    """
    shown = [part for section in page.sections if not section.detail for part in section.parts]
    more = [row for part in shown if isinstance(part, Facts) for row in part.rows]
    tables = [part for part in shown if isinstance(part, Table)]
    return PageData(
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
