"""A DH table (CSV) to an arm: rows of a, alpha, d, theta, with limits where they are given.

The header names the columns, in any order and case, each with its unit in brackets where it is not
that of the file: ``joint, a [mm], alpha [deg], d [mm], theta``. Angles may be text, ``pi/2`` or
``90 deg``; the variable may stand in its cell, as in ``q2 - pi/2``.
"""

from __future__ import annotations

import csv
import difflib
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from armtwin.errors import ArmFileError, InputError
from armtwin.model.arm import Arm, Joint, Limits
from armtwin.model.checks import check_arm
from armtwin.model.formats.arm_file.angles import angle
from armtwin.units import factor

DhConvention = Literal["standard-dh", "modified-dh"]
CONVENTIONS = ("standard-dh", "modified-dh")

NAMES: dict[str, tuple[str, ...]] = {
    "name": ("joint", "name", "link", "i"),
    "kind": ("kind", "type"),
    "a": ("a", "r", "a_i", "a(i-1)"),
    "alpha": ("alpha", "α", "alpha_i"),
    "d": ("d", "d_i"),
    "theta": ("theta", "θ", "theta_i"),
    "offset": ("offset",),
    "direction": ("direction", "sign"),
    "lower": ("lower", "min", "qmin", "q_min"),
    "upper": ("upper", "max", "qmax", "q_max"),
    "speed": ("speed", "velocity", "max_speed"),
    "acceleration": ("acceleration",),
    "effort": ("effort", "torque", "max_torque"),
}
"""Columns, and the names that they have in tables."""
NEEDED = ("a", "alpha", "d")
KINDS = {"r": "revolute", "revolute": "revolute", "p": "prismatic", "prismatic": "prismatic",
         "fixed": "fixed", "f": "fixed"}  # fmt: skip
LONGEST = 20.0
LARGEST = {"alpha": 6.3, "theta": 6.3, "offset": 6.3, "lower": 20.0, "upper": 20.0, "speed": 50.0}
"""Larger lengths [m], angles [rad] and speeds [rad/s] of a table are taken for another unit."""
LIMITS = ("lower", "upper", "speed", "acceleration", "effort")
VARIABLE = re.compile(r"\s*[qθ]\s*_?\d*\*?\s*(?:([+-])\s*(.+))?")
COLUMN = re.compile(r"\s*([^\[\s]+)\s*(?:\[([^\]]*)\])?\s*")


@dataclass(frozen=True)
class _Column:
    """A column of the table: its field and the unit in its header, empty where none is given."""

    field: str
    unit: str


def read_dh_table(
    path: str | Path,
    *,
    convention: DhConvention = "standard-dh",
    degrees: bool = False,
    millimetres: bool = False,
) -> Arm:
    """Return the arm of a DH table in a CSV file.

    Columns: ``a``, ``alpha``, ``d``, and as far as there are any ``theta``, ``joint`` (name),
    ``type`` (revolute, prismatic, fixed), ``offset``, ``direction``, ``lower``, ``upper``,
    ``speed``, ``acceleration``, ``effort``.

    Args:
        path: the file.
        convention: "standard-dh" or "modified-dh" (Craig).
        degrees: angles are in degrees where a header names no unit.
        millimetres: lengths are in millimetres where a header names no unit.

    Raises:
        ArmFileError: a table that cannot be read, with line and column.
        InputError: another convention.
    """
    if convention not in CONVENTIONS:
        raise InputError(f"a DH table is {' or '.join(CONVENTIONS)}, not {convention!r}")
    path = Path(path)
    lines = _lines(path)
    columns = _columns(path, lines[0][1])
    units = {"rad": "deg" if degrees else "rad", "m": "mm" if millimetres else "m"}
    joints = tuple(
        _joint(path, line, columns, cells, units, number)
        for number, (line, cells) in enumerate(lines[1:], 1)
    )
    source = f"{path.name}, {convention} table"
    kinds = ["geometry", *(["limits"] if any(j.limits != Limits() for j in joints) else [])]
    arm = Arm(path.stem, convention, joints, sources=tuple((kind, source) for kind in kinds))
    try:
        check_arm(arm)
    except InputError as error:
        raise ArmFileError(f"{path}: {error}") from error
    return arm


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with its line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ArmFileError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArmFileError(f"{path}: not UTF-8 text: {error}") from error
    mark = max(";\t,", key=text.partition("\n")[0].count)
    rows = csv.reader(text.splitlines(), delimiter=mark)
    found = [(n, row) for n, row in enumerate(rows, 1) if any(cell.strip() for cell in row)]
    found = [(n, row) for n, row in found if not row[0].lstrip().startswith("#")]
    if len(found) < 2:
        raise ArmFileError(
            f"{path}: no table; expected a header such as 'joint,a,alpha,d,theta' and a row a joint"
        )
    return found


def _columns(path: Path, heads: list[str]) -> list[_Column]:
    by_name = {name: field for field, names in NAMES.items() for name in names}
    found = []
    for head in heads:
        match = COLUMN.fullmatch(head)
        field = by_name.get(match[1].lower()) if match else None
        if match is None or field is None:
            near = difflib.get_close_matches(head.strip().lower(), by_name, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ArmFileError(
                f"{path}: line 1: unknown column {head!r}{hint} known: {', '.join(NAMES)}"
            )
        found.append(_Column(field, (match[2] or "").strip()))
    given = [column.field for column in found]
    missing = [name for name in NEEDED if name not in given]
    twice = sorted({name for name in given if given.count(name) > 1})
    if missing or twice:
        raise ArmFileError(
            f"{path}: line 1: columns missing: {', '.join(missing) or 'none'}, given twice: "
            f"{', '.join(twice) or 'none'}; needed are a, alpha and d"
        )
    return found


def _joint(
    path: Path,
    line: int,
    columns: list[_Column],
    cells: list[str],
    units: dict[str, str],
    number: int,
) -> Joint:
    """Return one row as a joint.

    Args:
        path: the file, for errors.
        line: the row's line.
        columns: the columns.
        cells: the row.
        units: unit of angles ("rad") and lengths ("m") where the header names none.
        number: of the row, from 1.
    """
    if len(cells) != len(columns):
        raise ArmFileError(
            f"{path}: line {line}: {len(cells)} cells, but the header has {len(columns)}"
        )
    row = {c.field: (cell.strip(), c) for c, cell in zip(columns, cells, strict=True)}
    kind = _kind(path, line, row.pop("kind", ("", None))[0])
    name = row.pop("name", ("", None))[0] or str(number)
    values: dict[str, Any] = {}
    for field, (cell, column) in row.items():
        try:
            if cell:
                values[field] = _number(field, cell, column, kind, units)
        except (ValueError, InputError) as error:
            raise ArmFileError(f"{path}: line {line}: {field}: {error}") from error
    limits = Limits(**{key: values.pop(key) for key in LIMITS if key in values})
    name = name if not name.isdigit() else f"joint_{name}"
    return Joint(name=name, kind=kind, limits=limits, **values)


def _kind(path: Path, line: int, cell: str) -> Any:
    kind = KINDS.get((cell or "revolute").lower())
    if kind is None:
        raise ArmFileError(
            f"{path}: line {line}: type {cell!r}; expected revolute, prismatic or fixed"
        )
    return kind


def _number(field: str, cell: str, column: _Column, kind: str, units: dict[str, str]) -> float:
    """Return a cell in SI units; ``q2 - pi/2`` is -pi/2."""
    moving = {"revolute": "theta", "prismatic": "d"}.get(kind)
    if field == moving and (match := VARIABLE.fullmatch(cell)):
        cell = f"{match[1] or ''}{match[2] or '0'}"
    if field == "direction":
        if cell not in ("1", "+1", "-1"):
            raise ValueError(f"{cell!r}; expected 1 or -1")
        return int(cell)
    si = _unit(field, kind)
    value = _value(cell, angular=si == "rad")
    if value is None:
        value = float(angle(cell))
    elif si:
        if not column.unit:
            _check_unit(field, value, si, units)
        size = factor(column.unit, _rate(field, si)) if column.unit else factor(units[si], si)
        value *= size
    if not math.isfinite(value):
        raise ValueError(f"{cell!r} is not finite")
    return value


def _check_unit(field: str, value: float, si: str, units: dict[str, str]) -> None:
    """Refuse what is too large for radians or metres: another unit is meant.

    Args:
        field: the column.
        value: the number in the table.
        si: "rad" or "m".
        units: the units that hold for the table.
    """
    largest = LONGEST if si == "m" else LARGEST.get(field, math.inf)
    if units[si] == si and abs(value) > largest:
        other, word = ("mm", "millimetres") if si == "m" else ("deg", "degrees")
        raise ValueError(
            f"{value:g} {_rate(field, si)} is too large for an arm (at most {largest:.4g}); if it "
            f"is in {word}, say so, or write the unit into the header, "
            f"'{field} [{_rate(field, other)}]'"
        )


def _value(cell: str, *, angular: bool) -> float | None:
    """Return a plain number; None for an angle in words, ``pi/2`` or ``90 deg``."""
    try:
        return float(cell)
    except ValueError as error:
        if angular and re.search("pi|deg", cell):
            return None
        raise ValueError(f"{cell!r} is not a number") from error


def _unit(field: str, kind: str) -> str:
    """Return "rad" or "m" for fields that are angles or lengths (or their rates), else ""."""
    if field in ("alpha", "theta"):
        return "rad"
    if field in ("a", "d"):
        return "m"
    if field in ("offset", *LIMITS[:-1]):
        return "m" if kind == "prismatic" else "rad"
    return ""


def _rate(field: str, si: str) -> str:
    """Return the SI unit of a column for the unit in its header."""
    return si + {"speed": "/s", "acceleration": "/s2"}.get(field, "")
