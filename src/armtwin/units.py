"""Units: sizes in SI, units that are shown, units of joint quantities, SI base units.

The one place of unit tables. Units are written as ``Nm``, ``rad/s``, ``m/s2``; FMI writes products
with a dot, ``N.m`` (``fmi_unit``).
"""

from __future__ import annotations

import itertools
import math
import re

from armtwin.errors import InputError

_DEGREE = math.pi / 180
_TURN_PER_MINUTE = 2 * math.pi / 60

SI_SIZE: dict[str, dict[str, float]] = {
    "s": {"s": 1, "sec": 1, "seconds": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "rad": {"rad": 1, "radian": 1, "deg": _DEGREE, "degree": _DEGREE, "degrees": _DEGREE,
            "°": _DEGREE, "mdeg": 1e-3 * _DEGREE, "mrad": 1e-3, "turn": 2 * math.pi},
    "rad/s": {"rad/s": 1, "rad": 1, "deg/s": _DEGREE, "deg": _DEGREE, "°/s": _DEGREE,
              "rpm": _TURN_PER_MINUTE},
    "rad/s2": {"rad/s2": 1, "rad/s^2": 1, "rad": 1, "deg/s2": _DEGREE, "deg/s^2": _DEGREE,
               "deg": _DEGREE, "°/s2": _DEGREE},
    "m": {"m": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6},
    "m/s": {"m/s": 1, "mm/s": 1e-3, "cm/s": 1e-2},
    "Nm": {"nm": 1, "n.m": 1, "n*m": 1, "n·m": 1, "mnm": 1e-3, "ncm": 1e-2},
    "N": {"n": 1, "kn": 1e3, "mn": 1e-3},
    "A": {"a": 1, "ma": 1e-3, "ua": 1e-6},
    "V": {"v": 1, "mv": 1e-3},
    "W": {"w": 1, "mw": 1e-3, "kw": 1e3},
    "J": {"j": 1, "mj": 1e-3, "kj": 1e3},
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


SHOWN = {
    "m": ("mm", 1e3),
    "rad": ("deg", 1 / _DEGREE),
    "rad/s": ("deg/s", 1 / _DEGREE),
    "rad/Nm": ("deg/kNm", 1e3 / _DEGREE),
    "s": ("ms", 1e3),
    "1": ("", 1.0),
}
"""Units in which results are shown, and how many of them make one SI unit."""


RUNGS = {
    "m": ("mm", "um"),
    "rad": ("deg", "mdeg"),
    "s": ("ms", "us"),
    "Nm": ("Nm", "mNm"),
    "N": ("N", "mN"),
    "A": ("A", "mA", "uA"),
    "V": ("V", "mV"),
    "W": ("W", "mW"),
    "J": ("J", "mJ"),
}
"""Units in which a number of any size is shown, the largest first."""


def unit_for(value: float, unit: str) -> tuple[str, float]:
    """Return the unit in which a number is easy to read, and how many of it make one of ``unit``.

    The first of ``RUNGS`` in which the number is 0.02 or more, else the last; 0 and units without
    smaller ones take the unit of ``shown``.
    """
    if not value or unit not in RUNGS:
        return shown(unit)
    sizes = {name: factor(name, unit) for name in RUNGS[unit]}
    fitting = [name for name in sizes if abs(value) >= 0.02 * sizes[name]]
    name = fitting[0] if fitting else RUNGS[unit][-1]
    return name, 1 / sizes[name]


def shown(unit: str) -> tuple[str, float]:
    """Return the unit that is shown, and how many of it make one of the given unit."""
    return SHOWN.get(unit, (unit, 1.0))


JOINT_UNITS = {
    "position": ("rad", "m"),
    "speed": ("rad/s", "m/s"),
    "acceleration": ("rad/s2", "m/s2"),
    "effort": ("Nm", "N"),
}
"""Units of a joint's quantities: revolute, prismatic."""


def joint_unit(quantity: str, kind: str) -> str:
    """Return the unit of a quantity of ``JOINT_UNITS`` for a joint of this kind."""
    return JOINT_UNITS[quantity][kind == "prismatic"]


def rate_unit(unit: str) -> str:
    """Return the unit of the time derivative of a joint's position or speed, or of a share."""
    if unit == "1":
        return "1/s"
    rows = [JOINT_UNITS[name] for name in ("position", "speed", "acceleration")]
    return next(
        high[kind]
        for low, high in itertools.pairwise(rows)
        for kind in range(2)
        if low[kind] == unit
    )


_DERIVED = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "Ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
}
_BASE = ("kg", "m", "s", "A", "rad")
_FACTOR = re.compile(r"([A-Za-z]+|1)(-?\d+)?")


def base_units(unit: str) -> dict[str, int] | None:
    """Return the exponents of the SI base units in a unit as FMI writes it, ``N.m.s/rad``.

    None where a factor is unknown or an exponent is no whole number: the motor constant's
    ``N.m/W0.5`` has halves, which FMI cannot express.
    """
    exponents: dict[str, int] = {}
    for part, sign in zip(unit.split("/"), (1, -1), strict=False):
        for text in part.split("."):
            match = _FACTOR.fullmatch(text)
            if match is None or not (match[1] in _DERIVED or match[1] in (*_BASE, "1")):
                return None
            for base, power in _DERIVED.get(match[1], {match[1]: 1}).items():
                exponents[base] = exponents.get(base, 0) + sign * power * int(match[2] or 1)
    return {base: power for base, power in exponents.items() if base != "1" and power}


def fmi_unit(unit: str) -> str:
    """Return a unit as FMI writes it: ``N.m`` for ``Nm``."""
    return unit.replace("Nm", "N.m")
