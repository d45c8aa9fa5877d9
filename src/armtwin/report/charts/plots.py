"""The parts of a page as data for plotly.js, with all samples that a file has room for."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from armtwin.report.charts.diagram_plots import forest_plot, sankey_plot
from armtwin.report.charts.palette import colour
from armtwin.report.charts.thinning import every, thinned
from armtwin.report.diagrams import Forest, Sankey
from armtwin.report.page import Bars, Chart, Curve, Figure, Histogram, Map, MapView, Paths, Shade
from armtwin.spatial import Array

INK, GRID, SHADE = "#374151", "#e5e7eb", "rgba(213,94,0,0.15)"
PANEL_HEIGHT, MARGIN_HEIGHT = 150, 105
"""Heights of a panel, and of title, legend and axis labels together [px]."""
MAX_POINTS_IN_SPACE = 4000
"""Points of a path in space; larger: larger files that turn less smoothly."""
FONT = {"family": "Helvetica, Arial, 'Liberation Sans', sans-serif", "size": 12, "color": INK}


def plot(part: Figure, most: int | None = None) -> dict[str, Any]:
    """Return a part's packed lines, plotly traces, layout and height [px].

    ``most`` limits the points of a line; ``samples`` in the answer is the largest number of samples
    that a pair of its points then stands for, 1 where every sample is kept.
    """
    if isinstance(part, Chart):
        return _chart(part, most)
    if isinstance(part, Forest | Sankey):
        drawn = forest_plot(part) if isinstance(part, Forest) else sankey_plot(part)
        return drawn | {"layout": _layout(drawn["height"], **drawn["layout"])}
    if isinstance(part, Histogram):
        return _histogram(part)
    if isinstance(part, Bars):
        return _bars(part)
    return _map(part) if isinstance(part, Map) else _paths(part)


def packed(values: Array) -> dict[str, Any]:
    """Return numbers as their first value and base64 float32 differences from it."""
    finite = values[np.isfinite(values)]
    first = float(finite[0]) if finite.size else 0.0
    data = base64.b64encode((values - first).astype("<f4").tobytes()).decode()
    return {"first": first, "data": data}


def _axis(title: str, **more: Any) -> dict[str, Any]:
    base = {"title": {"text": title, "standoff": 8}, "gridcolor": GRID, "zerolinecolor": "#cbd5e1"}
    return {**base, "linecolor": "#9ca3af", "ticks": "outside", "automargin": True, **more}


def _layout(height: int, **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "height": height,
        "font": FONT,
        "margin": {"l": 70, "r": 20, "t": 34, "b": 52},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "hovermode": "x unified",
    }
    return {**base, **more}


def _chart(part: Chart, most: int | None) -> dict[str, Any]:
    count = len(part.panels)
    lines, shapes, seen, samples = [], list[dict[str, Any]](), set[str](), 1
    height = PANEL_HEIGHT * max(count, 2) + MARGIN_HEIGHT
    layout = _layout(height, xaxis=_axis(part.x_label, anchor=_name("y", count - 1)))
    for number, panel in enumerate(part.panels):
        top = 1 - number / count
        domain = [top - (1 / count) * (0.88 if count > 1 else 1), top]
        layout[_name("yaxis", number)] = _axis(panel.label, domain=domain)
        for place, line in enumerate(panel.lines):
            style = _style(line, place) | {"showlegend": line.name not in seen}
            style |= {"xaxis": "x", "yaxis": _name("y", number), "legendgroup": line.name}
            seen.add(line.name)
            kept = _packed_line(line, most)
            samples = max(samples, kept.pop("samples"))
            lines.append({**kept, "trace": style})
        shapes += [_shape(shade, number, first=number == 0) for shade in panel.shades]
    layout["shapes"] = shapes
    layout["showlegend"] = len(seen) > 1
    drawn = {"lines": lines, "traces": [], "layout": layout, "height": height}
    return drawn | {"samples": samples}


def _shape(shade: Shade, number: int, *, first: bool) -> dict[str, Any]:
    """Return a shaded stretch over the whole height of a panel, named in the first one."""
    box: dict[str, Any] = {"type": "rect", "layer": "below"}
    box |= {"xref": "x", "yref": f"{_name('y', number)} domain"}
    box |= {"x0": shade.start, "x1": shade.end, "y0": 0, "y1": 1}
    box |= {"fillcolor": SHADE, "line": {"width": 0}}
    if first:
        box["label"] = {"text": shade.name, "textposition": "top left", "font": {"size": 10}}
    return box


def _name(axis: str, number: int) -> str:
    return axis if number == 0 else f"{axis}{number + 1}"


def _packed_line(line: Curve, most: int | None) -> dict[str, Any]:
    x, y = line.arrays()
    in_order = line.style != "points" or bool((np.diff(x) >= 0).all())
    samples = 1
    if most is not None and len(x) > most:
        samples = -(-len(x) // max(most // 2, 1))
        x, y = thinned(x, y, most) if in_order else every(np.column_stack([x, y]), most).T
    return {"x": packed(x), "y": packed(y), "sorted": in_order, "samples": samples}


def _style(line: Curve, place: int) -> dict[str, Any]:
    shade = colour(line.colour, place)
    trace: dict[str, Any] = {"type": "scatter", "name": line.name, "connectgaps": False}
    if line.style == "points":
        return trace | {"mode": "markers", "marker": {"color": shade, "size": 5, "opacity": 0.75}}
    dash = "dash" if line.style == "dashes" else "solid"
    return trace | {"mode": "lines", "line": {"color": shade, "width": 1.5, "dash": dash}}


def _histogram(part: Histogram) -> dict[str, Any]:
    """Return outlines with a light fill, so that several samples can be distinguished."""
    edges, samples = part.counts()
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": np.repeat(edges, 2)[1:-1].tolist(),
            "y": np.repeat(shares, 2).tolist(),
            "line": {"color": colour(None, place), "width": 1.6},
            "fill": "tozeroy",
            "fillcolor": _pale(colour(None, place), 0.75 if len(samples) == 1 else 0.12),
        }
        for place, (name, shares) in enumerate(samples)
    ]
    axes = {"xaxis": _axis(part.x_label), "yaxis": _axis("share of samples [%]")}
    layout = _layout(320, showlegend=len(samples) > 1, **axes)
    return {"lines": [], "traces": traces, "layout": layout, "height": 320}


def _pale(shade: str, opacity: float) -> str:
    red, green, blue = (int(shade[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def _bars(part: Bars) -> dict[str, Any]:
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": list(part.labels),
            "y": np.asarray(values, float).tolist(),
            "marker": {"color": colour(None, place)},
        }
        for place, (name, values) in enumerate(part.series)
    ]
    layout = _layout(320, xaxis=_axis(""), yaxis=_axis(part.y_label), barmode="group")
    return {"lines": [], "traces": traces, "layout": layout, "height": 320}


def _paths(part: Paths) -> dict[str, Any]:
    traces = []
    for place, (name, given) in enumerate(part.paths):
        points = every(np.asarray(given, float), MAX_POINTS_IN_SPACE)
        x, y, z = np.round(points, 9).T.tolist()
        pen = {"color": colour(None, place), "width": 3 if place == 0 else 8}
        shape = {"type": "scatter3d", "mode": "lines", "x": x, "y": y, "z": z}
        traces.append(shape | {"name": name, "line": pen, "opacity": 1.0 if place == 0 else 0.45})
    axes = {
        f"{axis}axis": {"title": {"text": f"{axis} [{part.unit}]"}, "gridcolor": "#d1d5db"}
        for axis in "xyz"
    }
    scene = {**axes, "aspectmode": "data", "camera": {"eye": {"x": 1.4, "y": -1.5, "z": 0.9}}}
    layout = _layout(
        520, scene=scene, hovermode="closest", margin={"l": 0, "r": 0, "t": 30, "b": 0}
    )
    return {"lines": [], "traces": traces, "layout": layout, "height": 520}


def _map(part: Map) -> dict[str, Any]:
    low, high = part.limits()
    widths = [float(np.ptp(view.arrays()[0])) for view in part.views]
    traces, layout, left = list[dict[str, Any]](), _layout(460, hovermode="closest"), 0.0
    layout["annotations"] = []
    for number, (view, width) in enumerate(zip(part.views, widths, strict=True)):
        right = left + width / sum(widths)
        x, y = _name("x", number), _name("y", number)
        domain = [left + (0.09 if number else 0.0), right]
        layout[_name("xaxis", number)] = _axis(view.x_label, domain=domain, anchor=y)
        layout[_name("yaxis", number)] = _axis(view.y_label, anchor=x, scaleanchor=x)
        layout["annotations"] += _map_texts(view, x, y, sum(domain) / 2)
        scale = {"zmin": low, "zmax": high, "colorscale": "Viridis", "showscale": number == 0}
        bar = {"colorbar": {"title": {"text": part.value_label, "side": "right"}}}
        traces.append(_map_cells(view) | {"xaxis": x, "yaxis": y} | scale | bar)
        left = right
    return {"lines": [], "traces": traces, "layout": layout, "height": 460}


def _map_cells(view: MapView) -> dict[str, Any]:
    x, y, values = view.arrays()
    rounded = [[None if np.isnan(v) else float(f"{v:.5g}") for v in row] for row in values]
    edges = {"x": np.round(x, 6).tolist(), "y": np.round(y, 6).tolist()}
    return {"type": "heatmap", "name": view.title, "z": rounded, "hoverongaps": False, **edges}


def _map_texts(view: MapView, x: str, y: str, middle: float) -> list[dict[str, Any]]:
    """Return the title above a view and its marks."""
    title = {"text": view.title, "x": middle, "y": 1.0, "xref": "paper", "yref": "paper"}
    arrow = {"arrowhead": 6, "ax": 26, "ay": -26, "arrowcolor": INK, "bgcolor": "white"}
    marks = [
        {"text": name, "x": a, "y": b, "xref": x, "yref": y, **arrow} for name, a, b in view.marks
    ]
    return [{**title, "yanchor": "bottom", "showarrow": False}, *marks]
