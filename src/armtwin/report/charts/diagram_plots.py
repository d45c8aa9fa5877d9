"""Forest plots and Sankey diagrams as data for plotly.js."""

from __future__ import annotations

from typing import Any

from armtwin.report.charts.palette import COLOURS, ERROR, TWIN, colour
from armtwin.report.charts.sankey_layout import laid_out
from armtwin.report.diagrams import Forest, ForestPanel, Sankey
from armtwin.report.numbers import rounded

COLUMNS = 2
"""Panels of a forest plot in a row."""
ROW, HEAD = 22, 78
"""Height of a row of a forest plot, and of a panel's label and axis [px]."""
FLOW_HEIGHT = 420
"""Height of a Sankey diagram [px]."""


def forest_plot(part: Forest) -> dict[str, Any]:
    """Return traces, layout [without the common look] and height of a forest plot."""
    lines = [part.panels[k : k + COLUMNS] for k in range(0, len(part.panels), COLUMNS)]
    heights = [HEAD + ROW * max(len(panel.rows) for panel in line) for line in lines]
    height, top = sum(heights) + 40, 1.0
    traces, layout = list[dict[str, Any]](), dict[str, Any](annotations=[], hovermode="closest")
    for number, panel in enumerate(part.panels):
        row, place = divmod(number, COLUMNS)
        share = heights[row] / sum(heights)
        if place == 0 and row:
            top -= heights[row - 1] / sum(heights)
        rows = share * ROW * len(panel.rows) / heights[row]
        across = [place * 0.55 + 0.06, place * 0.55 + 0.45]
        upper = top - share * 30 / heights[row]
        axes = (f"x{number + 1}", f"y{number + 1}")
        layout |= _axes(panel, number + 1, across, [upper - rows, upper])
        layout["annotations"].append(_label(panel.label, across[0], upper))
        traces += _rows(panel, axes, part.reference, first=number == 0)
    layout["legend"] = {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"}
    return {"lines": [], "traces": traces, "layout": layout, "height": height}


def _axes(panel: ForestPanel, number: int, across: list[float], up: list[float]) -> dict[str, Any]:
    low, high = panel.limits()
    names = [row.name for row in panel.rows]
    grid = {"gridcolor": "#e5e7eb", "zeroline": False}
    x = {"domain": across, "anchor": f"y{number}", "range": [low, high], "nticks": 5, **grid}
    y = {"domain": up, "anchor": f"x{number}", "range": [len(names) - 0.5, -0.5], "showgrid": False}
    ticks = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names}
    return {f"xaxis{number}": x, f"yaxis{number}": y | ticks | {"zeroline": False}}


def _label(text: str, x: float, y: float) -> dict[str, Any]:
    place = {"x": x, "y": y, "xref": "paper", "yref": "paper"}
    anchor = {"xanchor": "left", "yanchor": "bottom", "showarrow": False}
    return {"text": f"<b>{text}</b>", "font": {"size": 12}, **place, **anchor}


def _rows(
    panel: ForestPanel, axes: tuple[str, str], reference: str, *, first: bool
) -> list[dict[str, Any]]:
    """Return intervals, estimates and reference values of a panel."""
    base = {"type": "scatter", "xaxis": axes[0], "yaxis": axes[1], "showlegend": first}
    x, y = list[float | None](), list[float | None]()
    for k, ends in enumerate(panel.drawn()):
        x += [*ends, None] if ends else []
        y += [k, k, None] if ends else []
    strong = [COLOURS[TWIN] if not row.is_weak else "white" for row in panel.rows]
    marker = {"color": strong, "size": 9, "line": {"color": COLOURS[TWIN], "width": 2}}
    known = [(row.reference, k) for k, row in enumerate(panel.rows) if row.reference is not None]
    pin = {"symbol": "line-ns-open", "color": COLOURS[ERROR], "size": 15, "line": {"width": 2.5}}
    return [
        base
        | {"mode": "lines", "x": x, "y": y, "name": "95 % interval", "hoverinfo": "skip"}
        | {"line": {"color": COLOURS[TWIN], "width": 3}, "legendgroup": "interval"},
        base
        | {"mode": "markers", "x": [v for v, _ in known], "y": [k for _, k in known]}
        | {"name": reference, "marker": pin, "legendgroup": "reference"},
        base
        | {"mode": "markers", "x": [row.value for row in panel.rows]}
        | {"y": list(range(len(panel.rows))), "name": "estimate", "marker": marker}
        | {"text": [row.words() for row in panel.rows]}
        | {"hoverinfo": "text+y", "legendgroup": "estimate"},
    ]


def sankey_plot(part: Sankey) -> dict[str, Any]:
    """Return the trace, layout [without the common look] and height of a Sankey diagram."""
    nodes = sorted(laid_out(part).nodes, key=lambda node: node.number)
    place = {node.name: node.number for node in nodes}
    labels = [f"{node.name}<br>{rounded(node.amount, 3)} {part.unit}" for node in nodes]
    shades = [colour(None, node.number) for node in nodes]
    link = {
        "source": [place[flow.source] for flow in part.flows],
        "target": [place[flow.target] for flow in part.flows],
        "value": [flow.amount for flow in part.flows],
        "color": [f"{shades[place[flow.target]]}66" for flow in part.flows],
    }
    node: dict[str, Any] = {"label": labels, "color": shades, "pad": 28, "thickness": 16}
    node["x"] = [min(max(one.x, 0.001), 0.999) for one in nodes]
    node["y"] = [min(max((one.top + one.bottom) / 2, 0.001), 0.999) for one in nodes]
    trace = {"type": "sankey", "arrangement": "fixed", "node": node, "link": link}
    words = {"valuesuffix": f" {part.unit}", "valueformat": ".4~g"}
    layout = {"hovermode": "closest", "margin": {"l": 12, "r": 12, "t": 12, "b": 24}}
    return {"lines": [], "traces": [trace | words], "layout": layout, "height": FLOW_HEIGHT}
