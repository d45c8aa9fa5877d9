"""Units of results as they are shown: millimetres and degrees instead of metres and radians."""

from __future__ import annotations

from armtwin.recording.columns.units import factor

SHOWN = {
    "m": ("mm", 1 / factor("mm", "m")),
    "rad": ("deg", 1 / factor("deg", "rad")),
    "rad/Nm": ("deg/kNm", 1e3 / factor("deg", "rad")),
    "s": ("ms", 1 / factor("ms", "s")),
    "1": ("", 1.0),
}


def shown(unit: str) -> tuple[str, float]:
    """Return the unit that is shown, and how many of it make one of the given unit."""
    return SHOWN.get(unit, (unit, 1.0))


def with_unit(value: float | None, unit: str, digits: int = 4) -> str:
    """Return a value in the unit that is shown.

    Args:
        value: in ``unit``; None is shown as a dash.
        unit: SI.
        digits: significant digits.
    """
    if value is None:
        return "–"
    name, size = shown(unit)
    return f"{value * size:.{digits}g} {name}".strip()
