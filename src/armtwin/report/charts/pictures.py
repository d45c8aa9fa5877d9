"""The parts of a page as vector pictures (SVG) for print, drawn with matplotlib."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from armtwin.errors import MissingDataError
from armtwin.report.charts.diagram_pictures import forest_picture, sankey_picture
from armtwin.report.charts.palette import colour
from armtwin.report.charts.thinning import every, thinned
from armtwin.report.diagrams import Forest, Sankey
from armtwin.report.page import Bars, Chart, Curve, Figure, Histogram, Map, Paths

WIDTH = 6.7
"""Width of a picture [inches]: A4 less margins of 20 mm (``page.typ``)."""
PANEL_HEIGHT = 1.15
"""Height of a panel [inches]."""
SHADE = "#d55e00"
MAX_POINTS = 1600
"""Points of a curve: 240 an inch; more are not seen in print."""
MAX_POINTS_IN_SPACE = 1500
"""Points of a path in space."""
LOOK: dict[Any, Any] = {
    "font.size": 7.5,
    "axes.edgecolor": "#4b5563",
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.color": "#e5e7eb",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "legend.frameon": False,
    "svg.hashsalt": "armtwin",
}


def picture(part: Figure) -> bytes:
    """Return a part as an SVG of text width."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingDataError(
            "PDF reports need matplotlib, which is not installed; pip install 'armtwin[report]'"
        ) from error
    kinds: dict[type, Any] = {
        Chart: _chart,
        Histogram: _histogram,
        Bars: _bars,
        Paths: _paths,
        Map: _map,
        Forest: lambda part: forest_picture(part, _figure),
        Sankey: lambda part: sankey_picture(part, _figure),
    }
    draw = kinds[type(part)]
    with mpl.rc_context(LOOK):
        figure = draw(part)
        data = io.BytesIO()
        figure.savefig(data, format="svg", metadata={"Date": None})
    return data.getvalue()


def _figure(height: float) -> Any:
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def _chart(part: Chart) -> Any:
    figure = _figure(0.55 + PANEL_HEIGHT * max(len(part.panels), 1.6))
    fields = figure.subplots(len(part.panels), 1, sharex=True, squeeze=False)[:, 0]
    names: dict[str, Any] = {}
    for axes, panel in zip(fields, part.panels, strict=True):
        for place, line in enumerate(panel.lines):
            names.setdefault(line.name, _draw_line(axes, line, place))
        for shade in panel.shades:
            axes.axvspan(shade.start, shade.end, color=SHADE, alpha=0.15, linewidth=0)
        axes.set_ylabel(panel.label)
        axes.margins(x=0.005)
    fields[-1].set_xlabel(part.x_label)
    if len(names) > 1:
        figure.legend(names.values(), names.keys(), loc="outside upper right", ncols=len(names))
    figure.align_ylabels(fields)
    return figure


def _draw_line(axes: Any, line: Curve, place: int) -> Any:
    x, y = line.arrays()
    shade = colour(line.colour, place)
    if line.style == "points":
        (drawn,) = axes.plot(x, y, ".", color=shade, markersize=2.5, alpha=0.7)
        return drawn
    dash = (0, (4, 2)) if line.style == "dashes" else "solid"
    (drawn,) = axes.plot(*thinned(x, y, MAX_POINTS), color=shade, linewidth=0.8, linestyle=dash)
    return drawn


def _histogram(part: Histogram) -> Any:
    figure = _figure(1.9)
    axes = figure.subplots()
    edges, samples = part.counts()
    for place, (name, shares) in enumerate(samples):
        pale, shade = 0.75 if len(samples) == 1 else 0.12, colour(None, place)
        axes.stairs(shares, edges, fill=True, color=shade, alpha=pale)
        axes.stairs(shares, edges, color=shade, linewidth=0.9, label=name)
    axes.set(xlabel=part.x_label, ylabel="share of samples [%]")
    if len(samples) > 1:
        axes.legend()
    return figure


def _bars(part: Bars) -> Any:
    figure = _figure(2.0)
    axes = figure.subplots()
    places, width = np.arange(len(part.labels)), 0.8 / len(part.series)
    for k, (name, values) in enumerate(part.series):
        shift = (k - (len(part.series) - 1) / 2) * width
        sizes = np.asarray(values, float)
        axes.bar(places + shift, sizes, width, color=colour(None, k), label=name)
    axes.set_xticks(places, part.labels)
    axes.set_ylabel(part.y_label)
    if len(part.series) > 1:
        axes.legend()
    return figure


def _paths(part: Paths) -> Any:
    figure = _figure(3.6)
    axes = figure.add_subplot(projection="3d")
    spans = []
    for place, (name, given) in enumerate(part.paths):
        points = every(np.asarray(given, float), MAX_POINTS_IN_SPACE)
        pen = {"linewidth": 0.8} if place == 0 else {"linewidth": 2.6, "alpha": 0.45}
        axes.plot(*points.T, color=colour(None, place), label=name, **pen)
        spans.append(points)
    size = np.ptp(np.concatenate(spans), axis=0)
    drawn = np.maximum(size, 0.15 * max(size.max(), 1e-9))
    axes.set_box_aspect(drawn, zoom=0.95)
    axes.set(**{f"{k}label": f"{k} [{part.unit}]" for k in "xyz"})
    for axis, share in zip((axes.xaxis, axes.yaxis, axes.zaxis), drawn / drawn.max(), strict=True):
        axis.get_major_locator().set_params(nbins=4 if share > 0.4 else 1)
    axes.view_init(elev=24, azim=-50)
    axes.legend(loc="upper left")
    return figure


def _map(part: Map) -> Any:
    sizes = [(float(np.ptp(x)), float(np.ptp(y))) for x, y, _ in (v.arrays() for v in part.views)]
    room = WIDTH - 0.75 * len(sizes) - 0.8
    scale = room / sum(width for width, _ in sizes)
    figure = _figure(min(0.8 + scale * max(height for _, height in sizes), 5.5))
    widths = [width for width, _ in sizes]
    fields = figure.subplots(1, len(sizes), squeeze=False, width_ratios=widths)[0]
    low, high = part.limits()
    for axes, view in zip(fields, part.views, strict=True):
        x, y, values = view.arrays()
        drawn = axes.pcolormesh(
            x, y, values, cmap="viridis", vmin=low, vmax=high, edgecolors="face"
        )
        axes.set(title=view.title, xlabel=view.x_label, ylabel=view.y_label, aspect="equal")
        for name, at_x, at_y in view.marks:
            axes.plot(at_x, at_y, "+", color=SHADE, markersize=6)
            axes.annotate(
                name, (at_x, at_y), color=SHADE, xytext=(3, 3), textcoords="offset points"
            )
    figure.colorbar(drawn, ax=list(fields), label=part.value_label, shrink=0.85)
    return figure
