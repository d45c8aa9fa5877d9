"""The one formatting of table cells, for every renderer and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armtwin.report.numbers import MISSING, rounded


def cell(value: Any, digits: int = 4, missing: str = MISSING) -> str:
    """Return the text of a table cell.

    Args:
        value: what the cell holds; bool is written as yes or no, other types by ``str``.
        digits: significant digits of a float.
        missing: text for None, NaN and infinity.
    """
    if value is None:
        return missing
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return rounded(float(value), digits) if np.isfinite(value) else missing
    return str(value)


def is_numeric(column: Sequence[Any]) -> bool:
    """Return whether a column holds only numbers, or gaps among them, and is right-aligned."""
    return all(_is_number(value) for value in column)


def _is_number(value: Any) -> bool:
    if value is None or value in ("-", MISSING):
        return True
    if isinstance(value, bool | np.bool_):
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
