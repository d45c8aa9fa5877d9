"""Charts and bars of a result's page as plain data, thinned for a panel beside the scene."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import BaseModel

from armtwin.report.charts.thinning import thinned
from armtwin.report.page import Bars, Chart, Curve, Page, Panel, Part
from armtwin.spatial import Array

MOST_CHARTS = 6
MOST_LINES = 14
MOST_POINTS = 800
"""Points of one line; the smallest and largest values of every stretch are kept."""


class PictureLine(BaseModel):
    """A curve; None in ``y`` is a gap."""

    name: str
    x: list[float]
    y: list[float | None]
    dashed: bool = False
    colour: int | None = None


class Picture(BaseModel):
    """Lines over a common axis."""

    title: str
    x_label: str
    y_label: str
    lines: list[PictureLine]


class BarPicture(BaseModel):
    """One group of bars per label, one bar per named series."""

    title: str
    y_label: str
    labels: list[str]
    series: list[tuple[str, list[float | None]]]


def pictures(page: Page) -> tuple[Picture, ...]:
    """Return the first charts of a page, those of its detail sections too."""
    found = [
        Picture(
            title=part.title,
            x_label=part.x_label,
            y_label=panel.label,
            lines=[_line(curve) for curve in panel.lines[:MOST_LINES]],
        )
        for part, panel in _panels(page)
    ]
    return tuple(found[:MOST_CHARTS])


def bar_pictures(page: Page) -> tuple[BarPicture, ...]:
    """Return the bars of a page."""
    return tuple(
        BarPicture(
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


def _line(curve: Curve) -> PictureLine:
    x, y = thinned(*curve.arrays(), MOST_POINTS)
    return PictureLine(
        name=curve.name,
        x=[float(f"{value:.7g}") for value in x],
        y=_values(y),
        dashed=curve.style == "dashes",
        colour=curve.colour,
    )


def _values(y: Array) -> list[float | None]:
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in y]
