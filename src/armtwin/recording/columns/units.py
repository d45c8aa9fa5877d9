"""Units of files and of limits, and their size in SI: the one table of conversions."""

from __future__ import annotations

import math

from armtwin.errors import InputError

_DEGREE = math.pi / 180
_TURN_PER_MINUTE = 2 * math.pi / 60

SI_SIZE: dict[str, dict[str, float]] = {
    "s": {"s": 1, "sec": 1, "seconds": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "rad": {"rad": 1, "radian": 1, "deg": _DEGREE, "degree": _DEGREE, "degrees": _DEGREE,
            "°": _DEGREE, "mrad": 1e-3, "turn": 2 * math.pi},
    "rad/s": {"rad/s": 1, "rad": 1, "deg/s": _DEGREE, "deg": _DEGREE, "°/s": _DEGREE,
              "rpm": _TURN_PER_MINUTE},
    "rad/s2": {"rad/s2": 1, "rad/s^2": 1, "rad": 1, "deg/s2": _DEGREE, "deg/s^2": _DEGREE,
               "deg": _DEGREE, "°/s2": _DEGREE},
    "m": {"m": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6},
    "m/s": {"m/s": 1, "mm/s": 1e-3, "cm/s": 1e-2},
    "Nm": {"nm": 1, "n.m": 1, "n*m": 1, "n·m": 1, "mnm": 1e-3, "ncm": 1e-2},
    "N": {"n": 1, "kn": 1e3, "mn": 1e-3},
    "A": {"a": 1, "ma": 1e-3},
    "V": {"v": 1, "mv": 1e-3},
    "W": {"w": 1, "mw": 1e-3, "kw": 1e3},
    "kg": {"kg": 1, "g": 1e-3},
    "degC": {"degc": 1, "°c": 1, "c": 1},
    "1": {"1": 1},
}  # fmt: skip
"""For every SI unit, the units that convert to it (lower case) and their size."""


def factor(unit: str, si: str) -> float:
    """Return the size of ``unit`` in the SI unit ``si``: value_SI = factor * value.

    Raises:
        InputError: a unit that does not measure this quantity.
    """
    size = si_factor(unit, si)
    if size is None:
        known = ", ".join(unit_names(si))
        raise InputError(f"{unit!r} is not a unit that converts to {si}; use one of {known}")
    return size


def si_factor(unit: str, si: str) -> float | None:
    """Return the size of ``unit`` in ``si``, or None where it does not measure the same."""
    if unit == si:
        return 1.0
    return SI_SIZE.get(si, {}).get(unit.lower().replace(" ", ""))


def unit_names(si: str) -> list[str]:
    """Return the SI unit and the other units that convert to it."""
    return [si, *(name for name in SI_SIZE.get(si, {}) if name != si.lower())]


def is_unit(text: str) -> bool:
    """Return whether a text is a unit known here."""
    name = text.lower().replace(" ", "")
    return any(name in sizes for sizes in SI_SIZE.values())
