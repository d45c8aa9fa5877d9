"""Units that people read: millimetres and degrees instead of metres and radians."""

from __future__ import annotations

from math import pi

SHOWN = {
    "m": ("mm", 1e3),
    "rad": ("deg", 180 / pi),
    "rad/Nm": ("deg/kNm", 18e4 / pi),
    "s": ("ms", 1e3),
    "1": ("", 1.0),
}


def shown(unit: str) -> tuple[str, float]:
    """Return the unit that people read, and how many of it make one of the given unit."""
    return SHOWN.get(unit, (unit, 1.0))


def with_unit(value: float | None, unit: str, digits: int = 4) -> str:
    """Return a value in the unit that people read."""
    if value is None:
        return "–"
    name, size = shown(unit)
    return f"{value * size:.{digits}g} {name}".strip()
