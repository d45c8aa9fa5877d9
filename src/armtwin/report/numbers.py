"""Numbers in texts and tables: the one rule of how they are written.

* A number with a unit takes the unit in which it is easy to read: 12.4 mm, 3.1 um, 250 mA.
* Four significant digits; no powers of ten from 1e-4 to 1e6, beyond that powers in steps of three.
* A count agrees with its noun: 1 row, 2 rows.
"""

from __future__ import annotations

import math

from armtwin.units import RUNGS, unit_for

MISSING = "–"
DIGITS = 4
"""Significant digits; see above."""
MIN_WRITTEN = 0.001
"""Smallest number that is written in the smallest unit of a quantity."""


def rounded(value: float, digits: int = DIGITS) -> str:
    """Return a finite number to significant digits: ``0.0123``, ``12340``, ``589e-9``."""
    if value and not 1e-4 <= abs(value) < 1e6:
        power = 3 * math.floor(math.log10(abs(value)) / 3)
        return f"{rounded(value / 10.0**power, digits)}e{power}"
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e" in text else text


def with_unit(value: float | None, unit: str, digits: int = DIGITS) -> str:
    """Return a value in the unit in which it is easy to read.

    Args:
        value: in ``unit``; None and NaN are shown as a dash, one too small for the smallest unit
            as "< 0.001 um".
        unit: SI, such as "m" or "Nm"; "1" for a number without unit.
        digits: significant digits.
    """
    if value is None or not math.isfinite(value):
        return MISSING
    name, size = unit_for(value, unit)
    if name in RUNGS.get(unit, ())[-1:] and 0 < abs(value * size) < MIN_WRITTEN:
        return f"< {MIN_WRITTEN:g} {name}"
    return f"{rounded(value * size, digits)} {name}".strip()


def format_against(value: float | None, limit: float) -> str:
    """Return a value to be read beside a limit: far below it, with the limit's decimals only."""
    if value is None or not math.isfinite(value):
        return MISSING
    if limit and abs(value) < abs(limit) / 100:
        return with_decimals(value, max(0, DIGITS - 1 - math.floor(math.log10(abs(limit)))))
    return rounded(value)


def with_decimals(value: float, places: int) -> str:
    """Return a finite number with so many decimals, and zero without a sign."""
    text = f"{value:.{places}f}"
    return text if float(text) else text.removeprefix("-")


def counted(count: float, noun: str) -> str:
    """Return a count with its noun: ``1 row``, ``2 rows``, ``0.5 rows``."""
    number = f"{count:g}" if isinstance(count, float) else str(count)
    return f"{number} {noun}" if count == 1 else f"{number} {noun}s"
