"""The names that a recording's columns may have, and the unit of each.

Joint columns carry the joint's number from 1 (``q1``, ``tau6``); every name may stand behind
``target_`` when it was commanded, not measured. Other columns keep the name of their file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from armtwin.errors import MissingColumnError
from armtwin.units import joint_unit

JOINT_UNITS = {
    "q": joint_unit("position", "revolute"),
    "qd": joint_unit("speed", "revolute"),
    "qdd": joint_unit("acceleration", "revolute"),
    "tau": joint_unit("effort", "revolute"),
    "current": "A",
    "joint_voltage": "V",
    "temperature": "degC",
}
"""Columns that exist once per joint, and their units."""

VECTORS = {
    "position": ("x", "y", "z"),
    "rpy": ("roll", "pitch", "yaw"),
    "quaternion": ("qx", "qy", "qz", "qw"),
    "rotation_vector": ("rx", "ry", "rz"),
    "velocity": ("vx", "vy", "vz"),
    "angular_velocity": ("wx", "wy", "wz"),
    "force": ("fx", "fy", "fz"),
    "torque": ("tx", "ty", "tz"),
    "wrench": ("fx", "fy", "fz", "tx", "ty", "tz"),
}
"""Columns that belong together, at the tool."""

_VECTOR_UNITS = {
    "position": "m",
    "rpy": "rad",
    "quaternion": "1",
    "rotation_vector": "rad",
    "velocity": "m/s",
    "angular_velocity": "rad/s",
    "force": "N",
    "torque": "Nm",
}

SCALAR_UNITS = {"voltage": "V", "supply_current": "A", "power": "W", "payload": "kg"}
"""Columns of the whole robot: its supply and what it carries."""

_NAMED = {name: unit for vector, unit in _VECTOR_UNITS.items() for name in VECTORS[vector]}
_JOINT = re.compile(rf"({'|'.join(JOINT_UNITS)})([1-9]\d?)")

TARGET = "target_"


def unit_of(name: str) -> str | None:
    """Return the unit of a named column, or None where the name is the file's own."""
    bare = name.removeprefix(TARGET)
    joint = _JOINT.fullmatch(bare)
    if joint:
        return JOINT_UNITS[joint[1]]
    return "s" if name == "time" else _NAMED.get(bare) or SCALAR_UNITS.get(bare)


def group_of(name: str) -> str:
    """Return the group of a column (``q`` for ``q3``, ``target_position`` for ``target_x``)."""
    bare = name.removeprefix(TARGET)
    prefix = name[: len(name) - len(bare)]
    joint = _JOINT.fullmatch(bare)
    if joint:
        return prefix + joint[1]
    vector = next((key for key in _VECTOR_UNITS if bare in VECTORS[key]), bare)
    return prefix + vector


def joint_number(name: str) -> int | None:
    """Return the joint's number of a joint column, 3 for ``target_q3``."""
    joint = _JOINT.fullmatch(name.removeprefix(TARGET))
    return int(joint[2]) if joint else None


def members(group: str, columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns of a group, in order.

    Args:
        group: ``q``, ``target_tau``, ``position``, ``wrench``, ...
        columns: the columns that exist.

    Raises:
        MissingColumnError: the group, or a part of it, does not exist.
    """
    present = set(columns)
    bare = group.removeprefix(TARGET)
    prefix = group[: len(group) - len(bare)]
    if bare in VECTORS:
        wanted = tuple(prefix + part for part in VECTORS[bare])
    elif bare in JOINT_UNITS:
        numbers = [joint_number(name) or 0 for name in present if group_of(name) == group]
        wanted = tuple(f"{group}{number}" for number in range(1, max(numbers, default=1) + 1))
    else:
        wanted = (group,)
    missing = [name for name in wanted if name not in present]
    if missing:
        raise MissingColumnError(
            f"the recording has no column {', '.join(missing)} (needed for {group!r}); "
            f"it has {listed(present)}"
        )
    return wanted


def listed(columns: Iterable[str], most: int = 12) -> str:
    """Return the columns as people list them: neighbouring joints together, long lists cut."""
    runs: list[list[str]] = []
    for name in sorted(columns, key=_place):
        if runs and follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    texts = [names[0] if len(names) == 1 else f"{names[0]}..{names[-1]}" for names in runs]
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return (", ".join(texts[:most]) or "none") + more


_ORDER = [*JOINT_UNITS, *_VECTOR_UNITS, *SCALAR_UNITS]


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """Return a sort key under which ``column 2`` comes before ``column 10``."""
    parts = re.findall(r"(\D*)(\d*)", name)
    return tuple((text, int(number or -1)) for text, number in parts)


def _place(name: str) -> tuple[bool, int, int, tuple[tuple[str, int], ...]]:
    """Return the sort key of a column: measured before commanded, other names last."""
    bare = group_of(name).removeprefix(TARGET)
    index = _ORDER.index(bare) if bare in _ORDER else len(_ORDER)
    parts = VECTORS.get(bare, ())
    part = name.removeprefix(TARGET)
    inside = parts.index(part) if part in parts else joint_number(name) or 0
    return name.startswith(TARGET), index, inside, natural(name)


def follows(before: str, name: str) -> bool:
    """Return whether a column is the next one of its group: ``q3`` after ``q2``, z after y."""
    group = group_of(name)
    if group != group_of(before):
        return False
    parts = VECTORS.get(group.removeprefix(TARGET), ())
    if parts:
        return parts.index(name.removeprefix(TARGET)) == 1 + parts.index(
            before.removeprefix(TARGET)
        )
    return (joint_number(name) or 0) == (joint_number(before) or 0) + 1
