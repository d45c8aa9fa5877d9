"""Units of FMU variables: definition in SI base units, and display units."""

from __future__ import annotations

BASE: dict[str, dict[str, int]] = {
    "s": {"s": 1},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "1/s": {"s": -1},
    "1/s2": {"s": -2},
    "kg": {"kg": 1},
    "kg.m2": {"kg": 1, "m": 2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "N.m.s/rad": {"kg": 1, "m": 2, "s": -1, "rad": -1},
    "N.m/A": {"kg": 1, "m": 2, "s": -2, "A": -1},
    "A": {"A": 1},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
}
"""Exponents of the SI base units. The motor constant's N.m/W0.5 has halves, which FMI cannot
express: it is declared without a base unit."""

DISPLAY: dict[str, tuple[str, float]] = {
    "m": ("mm", 1e3),
    "rad": ("deg", 57.29577951308232),
    "rad/s": ("deg/s", 57.29577951308232),
}
"""The display unit of a unit, and its conversion factor."""
