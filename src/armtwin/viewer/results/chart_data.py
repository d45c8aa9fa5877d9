"""Figures of a result's page as plain data, thinned for a panel beside the scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np
from pydantic import BaseModel, Field

from armtwin.report.charts.sankey_layout import PlacedBand, laid_out
from armtwin.report.charts.thinning import thinned
from armtwin.report.diagrams import Forest, ForestPanel, Sankey
from armtwin.report.numbers import rounded
from armtwin.report.page import Bars, Chart, Curve, Page, Panel, Part
from armtwin.spatial import Array

MAX_CHARTS = 6
"""Charts of a result in the panel; the report shows all."""
MAX_LINES = 14
"""Lines of a chart, such as two for each of seven joints."""
MAX_POINTS = 800
"""Points of one line; the smallest and largest values of every stretch are kept."""


class LineData(BaseModel):
    """A curve; None in ``y`` is a gap."""

    name: str
    x: list[float]
    y: list[float | None]
    dashed: bool = False
    colour: int | None = None


class ChartData(BaseModel):
    """Lines over a common axis."""

    title: str
    x_label: str
    y_label: str
    lines: list[LineData]


class BarsData(BaseModel):
    """One group of bars per label, one bar per named series."""

    title: str
    y_label: str
    labels: list[str]
    series: list[tuple[str, list[float | None]]]


class IntervalRow(BaseModel):
    """An estimate with its interval as drawn; None where there is none."""

    name: str
    value: float
    low: float | None
    high: float | None
    reference: float | None
    is_weak: bool
    text: str = Field(description="Estimate and interval in words.")


class ForestPanelData(BaseModel):
    """Intervals of one kind of parameter; ``low`` and ``high`` are the ends of the axis."""

    label: str
    low: float
    high: float
    rows: list[IntervalRow]


class ForestData(BaseModel):
    """A forest plot."""

    title: str
    caption: str
    reference: str = Field(description="What the reference values are.")
    panels: list[ForestPanelData]


class SankeyNode(BaseModel):
    """A node of a Sankey diagram in the unit square, y down."""

    name: str
    amount: str
    x: float
    top: float
    bottom: float
    number: int


class SankeyData(BaseModel):
    """A Sankey diagram, laid out."""

    title: str
    caption: str
    columns: int
    nodes: list[SankeyNode]
    bands: list[PlacedBand]


def forest_data(page: Page) -> tuple[ForestData, ...]:
    """Return the forest plots of a page."""
    return tuple(
        ForestData(
            title=part.title,
            caption=part.caption,
            reference=part.reference,
            panels=[_forest_panel(panel) for panel in part.panels],
        )
        for part in _parts(page)
        if isinstance(part, Forest)
    )


def _forest_panel(panel: ForestPanel) -> ForestPanelData:
    low, high = panel.limits()
    rows = [
        IntervalRow(
            name=row.name,
            value=row.value,
            low=ends and ends[0],
            high=ends and ends[1],
            reference=row.reference,
            is_weak=row.is_weak,
            text=row.words(),
        )
        for row, ends in zip(panel.rows, panel.drawn(), strict=True)
    ]
    return ForestPanelData(label=panel.label, low=low, high=high, rows=rows)


def sankey_data(page: Page) -> tuple[SankeyData, ...]:
    """Return the Sankey diagrams of a page, laid out."""
    return tuple(_sankey(part) for part in _parts(page) if isinstance(part, Sankey))


def _sankey(part: Sankey) -> SankeyData:
    layout = laid_out(part)
    nodes = [
        SankeyNode(**{**asdict(node), "amount": f"{rounded(node.amount, 3)} {part.unit}"})
        for node in layout.nodes
    ]
    return SankeyData(
        title=part.title,
        caption=part.caption,
        columns=layout.columns,
        nodes=nodes,
        bands=list(layout.bands),
    )


def chart_data(page: Page) -> tuple[ChartData, ...]:
    """Return the first charts of a page, those of its detail sections too."""
    found = [
        ChartData(
            title=part.title,
            x_label=part.x_label,
            y_label=panel.label,
            lines=[_line(curve) for curve in panel.lines[:MAX_LINES]],
        )
        for part, panel in _panels(page)
    ]
    return tuple(found[:MAX_CHARTS])


def bars_data(page: Page) -> tuple[BarsData, ...]:
    """Return the bars of a page."""
    return tuple(
        BarsData(
            title=part.title,
            y_label=part.y_label,
            labels=list(part.labels),
            series=[(name, _values(np.asarray(y, float))) for name, y in part.series],
        )
        for part in _parts(page)
        if isinstance(part, Bars)
    )


def _parts(page: Page) -> Iterator[Part]:
    for section in page.sections:
        yield from section.parts


def _panels(page: Page) -> Iterator[tuple[Chart, Panel]]:
    for part in _parts(page):
        if isinstance(part, Chart):
            for panel in part.panels:
                yield part, panel


def _line(curve: Curve) -> LineData:
    x, y = thinned(*curve.arrays(), MAX_POINTS)
    return LineData(
        name=curve.name,
        x=[float(f"{value:.7g}") for value in x],
        y=_values(y),
        dashed=curve.style == "dashes",
        colour=curve.colour,
    )


def _values(y: Array) -> list[float | None]:
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in y]
