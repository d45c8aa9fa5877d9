"""How the cells of a report's tables are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def cell(value: Any, digits: int = 4) -> str:
    """Return a table cell's text: some significant digits of a number, a dash for None."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return _rounded(float(value), digits)
    return str(value)


def _rounded(value: float, digits: int) -> str:
    if not np.isfinite(value):
        return "–"
    if value != 0 and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.{digits - 1}e}"
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e" in text else text


def is_numeric(column: Sequence[Any]) -> bool:
    """Return whether a table's column holds numbers (or nothing), to be set to the right."""
    return all(v is None or isinstance(v, int | float | np.floating) or _reads(v) for v in column)


def _reads(value: Any) -> bool:
    """Return whether a text is a number that was written out before."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
