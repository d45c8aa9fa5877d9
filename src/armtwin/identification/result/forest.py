"""Estimates with their intervals as a forest plot, a panel for each kind of parameter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from armtwin.identification.result.estimates import Estimate
from armtwin.report.diagrams import Forest, ForestPanel, Interval

WEAK = ("prior", "open", "bound")
"""Sources of estimates that the data hardly determine."""
CAPTION = (
    "Lines are 95 % intervals; hollow marks are parameters that these data hardly determine, "
    "and lines that reach the edge are open there."
)


def drive_forest(estimates: Iterable[Estimate]) -> Forest | None:
    """Return motors, friction, payload and mounting by kind, a row for each joint."""
    kinds: dict[tuple[str, str], list[Estimate]] = {}
    for one in estimates:
        kind = one.name.rstrip("0123456789") if one.joint else one.name
        kinds.setdefault((kind, one.unit), []).append(one)
    panels = [
        _panel(f"{kind.replace('_', ' ')} [{unit}]", rows, [_joint(row) for row in rows])
        for (kind, unit), rows in kinds.items()
    ]
    return _forest("Estimates, intervals and the arm file", panels)


def base_forest(base: Iterable[Estimate]) -> Forest | None:
    """Return base parameters by unit, a row for each."""
    units: dict[str, list[Estimate]] = {}
    for one in base:
        units.setdefault(one.unit, []).append(one)
    panels = [_panel(f"[{unit}]", rows, [row.name for row in rows]) for unit, rows in units.items()]
    return _forest("Base parameters, intervals and the arm file", panels)


def _forest(title: str, panels: Sequence[ForestPanel | None]) -> Forest | None:
    shown = tuple(panel for panel in panels if panel is not None)
    return Forest(title, shown, caption=CAPTION) if shown else None


def _panel(label: str, rows: Sequence[Estimate], names: Sequence[str]) -> ForestPanel | None:
    """Return a panel of the rows that have an interval; None without any."""
    pairs = [pair for pair in zip(names, rows, strict=True) if not np.isnan(pair[1].low)]
    return ForestPanel(label, tuple(_interval(*pair) for pair in pairs)) if pairs else None


def _interval(name: str, one: Estimate) -> Interval:
    return Interval(name, one.value, one.low, one.high, one.prior, one.source in WEAK)


def _joint(one: Estimate) -> str:
    return f"joint {one.joint}" if one.joint else "arm"
