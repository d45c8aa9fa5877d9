"""Colours of charts that colour-blind readers can distinguish (after Okabe and Ito)."""

from __future__ import annotations

COLOURS = ("#1c5d99", "#d55e00", "#009e73", "#8c4a9b", "#b8860b", "#56b4e9", "#6b7280", "#c2185b")
RECORDED, TWIN, ERROR = 1, 0, 7
"""Places in ``COLOURS`` of what every chart shows in the same colour."""


def colour(index: int | None, position: int) -> str:
    """Return the chosen colour, or the one of the line's place in its panel."""
    return COLOURS[(position if index is None else index) % len(COLOURS)]
