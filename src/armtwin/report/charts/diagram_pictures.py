"""Forest plots and Sankey diagrams drawn with matplotlib, for print and notebooks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from armtwin.report.charts.palette import COLOURS, ERROR, TWIN, colour
from armtwin.report.charts.sankey_layout import PlacedBand, laid_out
from armtwin.report.diagrams import Forest, ForestPanel, Sankey
from armtwin.report.numbers import rounded

COLUMNS = 3
"""Panels of a forest plot in a row: labels stay legible at the width of a printed page."""
ROW, HEAD = 0.17, 0.62
"""Height of a row of a forest plot, and of a panel's label and axis [inches]."""
FLOW_HEIGHT = 3.0
"""Height of a Sankey diagram [inches]."""
NODE = 0.012
"""Half the width of a node in a diagram of width 1."""
NewFigure = Callable[[float], Any]


def forest_picture(part: Forest, figure_of: NewFigure) -> Any:
    """Return a forest plot; ``figure_of`` makes a figure of a height [inches]."""
    columns = min(COLUMNS, len(part.panels))
    rows = math.ceil(len(part.panels) / columns)
    most = [
        max(len(panel.rows) for panel in part.panels[columns * k : columns * (k + 1)])
        for k in range(rows)
    ]
    figure = figure_of(0.3 + sum(HEAD + ROW * count for count in most))
    ratios = [HEAD + ROW * count for count in most]
    fields = figure.subplots(rows, columns, squeeze=False, height_ratios=ratios).ravel()
    for axes, panel in zip(fields, part.panels, strict=False):
        drawn = _forest_panel(axes, panel)
    for axes in fields[len(part.panels) :]:
        axes.set_visible(False)
    names = ("95 % interval", "estimate", part.reference)
    figure.legend(drawn, names, loc="outside upper right", ncols=3)
    return figure


def _forest_panel(axes: Any, panel: ForestPanel) -> tuple[Any, Any, Any]:
    shade, places = COLOURS[TWIN], np.arange(len(panel.rows))
    ends = [(k, pair) for k, pair in enumerate(panel.drawn()) if pair]
    low, high = ([pair[side] for _, pair in ends] for side in (0, 1))
    lines = axes.hlines([k for k, _ in ends], low, high, color=shade, linewidth=2.2)
    fill = ["white" if row.is_weak else shade for row in panel.rows]
    values = [row.value for row in panel.rows]
    dots = axes.scatter(values, places, s=16, c=fill, edgecolors=shade, linewidths=1.2, zorder=3)
    known = [(row.reference, k) for k, row in enumerate(panel.rows) if row.reference is not None]
    pins = axes.scatter(
        [v for v, _ in known], [k for _, k in known], s=60, marker="|", color=COLOURS[ERROR]
    )
    axes.set_yticks(places, [row.name for row in panel.rows])
    axes.set(xlim=panel.limits(), ylim=(len(panel.rows) - 0.5, -0.5))
    axes.set_title(panel.label, loc="left", fontsize=7.5)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(visible=False, axis="y")
    return lines, dots, pins


def sankey_picture(part: Sankey, figure_of: NewFigure) -> Any:
    """Return a Sankey diagram; ``figure_of`` makes a figure of a height [inches]."""
    from matplotlib.patches import PathPatch, Rectangle

    figure = figure_of(FLOW_HEIGHT)
    axes = figure.subplots()
    layout = laid_out(part)
    for band in layout.bands:
        pale = {"facecolor": colour(None, band.number), "alpha": 0.4, "linewidth": 0}
        axes.add_patch(PathPatch(_outline(band), **pale))
    for node in layout.nodes:
        size = (2 * NODE, max(node.bottom - node.top, 0.004))
        shade = colour(None, node.number)
        axes.add_patch(Rectangle((node.x - NODE, node.top), *size, facecolor=shade, linewidth=0))
        words = f"{node.name}\n{rounded(node.amount, 3)} {part.unit}"
        middle = (node.top + node.bottom) / 2
        axes.text(node.x + 2 * NODE, middle, words, va="center", fontsize=7.5)
    axes.set(xlim=(-2 * NODE, 1.25), ylim=(1.04, -0.04))
    axes.axis("off")
    return figure


def _outline(band: PlacedBand) -> Any:
    """Return a band's outline: two curves that leave and arrive horizontally."""
    from matplotlib.path import Path

    left, right = band.x0 + NODE, band.x1 - NODE
    middle, low, lower = (left + right) / 2, band.y0 + band.width, band.y1 + band.width
    points = [
        (left, band.y0), (middle, band.y0), (middle, band.y1), (right, band.y1),
        (right, lower), (middle, lower), (middle, low), (left, low), (left, band.y0),
    ]  # fmt: skip
    curve = [Path.CURVE4] * 3
    return Path(points, [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY])
