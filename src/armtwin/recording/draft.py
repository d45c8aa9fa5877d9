"""Draft of a recording: columns named and in SI units, clock not checked yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import MissingColumnError
from armtwin.model.arm import Arm
from armtwin.recording.columns.headers import unit_in
from armtwin.recording.columns.mapping import Mapping
from armtwin.recording.columns.names import TARGET, VECTORS, listed, unit_of
from armtwin.recording.columns.rotation import canonical_quaternions, euler_to_quaternion
from armtwin.recording.preparation.clock import is_bunched
from armtwin.recording.recording import Recording
from armtwin.recording.table import RawTable
from armtwin.report.numbers import counted
from armtwin.spatial import Array

BURSTS = "rows came in bursts"


@dataclass
class Draft:
    """Content of a file under the recording's names; ``time`` may still be faulty."""

    origin: str
    time: Array
    data: dict[str, Array]
    units: dict[str, str]
    arm: str | None = None
    timed: bool = True
    notes: list[str] = field(default_factory=list)
    mapping: Mapping | None = None
    serial: str | None = None
    started: str | None = None

    def take(self, rows: NDArray[Any]) -> None:
        """Keep these rows only, in this order."""
        self.time = self.time[rows]
        self.data = {name: values[rows] for name, values in self.data.items()}

    def recording(self) -> Recording:
        """Return the recording; raises ClockError where time does not increase."""
        for values in (self.time, *self.data.values()):
            values.flags.writeable = False
        return Recording(
            self.time, self.data, self.units, self.arm, self.origin, tuple(self.notes), self.timed,
            self.serial, self.started,
        )  # fmt: skip


def make_draft(table: RawTable, mapping: Mapping, arm: Arm | None) -> Draft:
    """Return a table's columns under their names and in SI units.

    Args:
        table: columns under the file's own names.
        mapping: which column is what, with its unit.
        arm: the arm, for its name and number of joints; None where it is not known.

    Raises:
        MissingColumnError: nothing was recognised, or fewer joints than the arm has.
    """
    if mapping.exact and table.exact:
        draft = _saved_draft(table, arm)
        draft.mapping = mapping
        return draft
    if not any(rule.target != "time" for rule in mapping.rules):
        names = listed([*table.columns, *table.text], 40)
        raise MissingColumnError(
            f"{table.origin}: no column of an arm was recognised; it has {names}; name them "
            'in a mapping file (TOML): [columns] time = "...", q1 = "...", or in one line: '
            "'time = column 1; q = columns 2-7'"
        )
    origin = table.metadata.get("origin") or table.origin
    draft = Draft(origin, _time(table, mapping), {}, {}, timed=mapping.timed, mapping=mapping)
    draft.arm = table.metadata.get("arm") or (arm.name if arm else None)
    draft.serial, draft.started = _identity(table)
    draft.notes += [*table.metadata.get("notes", mapping.notes), *table.notes]
    for rule in mapping.rules:
        if rule.target != "time":
            draft.data[rule.target] = _scaled(table.columns[rule.source], rule.factor)
            if unit_of(rule.target) is None:
                draft.units[rule.target] = rule.unit
    for name in mapping.kept:
        free = name if name not in draft.data and name != "time" else f"{name} (file)"
        draft.data[free] = _scaled(table.columns[name], 1.0)
        draft.units[free] = table.metadata.get("units", {}).get(name) or unit_in(name)
    if not mapping.timed:
        draft.notes.append("no clock: rows are numbered from 0")
    _check_joints(draft, arm)
    _clean(draft)
    _turn(draft, mapping)
    _add_power(draft)
    _note(draft)
    return draft


def _saved_draft(table: RawTable, arm: Arm | None) -> Draft:
    """Return the columns of a file that armtwin saved, as they are."""
    about, data = table.metadata, dict(table.columns)
    time, timed = data.pop("time"), bool(about.get("timed", True))
    name = about.get("arm") or (arm.name if arm else None)
    origin = about.get("origin") or table.origin
    draft = Draft(origin, time, data, dict(about["units"]), name, timed)
    draft.serial, draft.started = _identity(table)
    draft.notes += about.get("notes", [])
    _check_joints(draft, arm)
    return draft


def _identity(table: RawTable) -> tuple[str | None, str | None]:
    """Return the serial number and the time of the start that a file's metadata gives."""
    given = (table.metadata.get(key) for key in ("serial", "started"))
    serial, started = (value if isinstance(value, str) and value else None for value in given)
    return serial, started


def _scaled(values: NDArray[Any], factor: float) -> Array:
    array = np.asarray(values, dtype=np.float64)
    return array if factor == 1.0 else array * factor


def _time(table: RawTable, mapping: Mapping) -> Array:
    """Return the seconds; whole nanoseconds keep their precision by counting from the first."""
    rule = mapping.rule("time")
    if rule is None or not mapping.timed:
        return np.arange(table.rows, dtype=float)
    stamps = table.columns[rule.source]
    if stamps.dtype.kind == "i" and stamps.size:
        return np.asarray(stamps[0] * rule.factor + (stamps - stamps[0]) * rule.factor)
    return _scaled(stamps, rule.factor)


def _check_joints(draft: Draft, arm: Arm | None) -> None:
    if arm is None:
        return
    for group in ("q", TARGET + "q"):
        names = [f"{group}{number}" for number in range(1, arm.dof + 1)]
        missing = [name for name in names if name not in draft.data]
        if missing and len(missing) < arm.dof:
            text = "".join(f"; {note}" for note in draft.notes if "without numbers" in note)
            raise MissingColumnError(
                f"{draft.origin}: arm {arm.name!r} has {arm.dof} joints, but the file lacks "
                f"{', '.join(missing)}; it has {listed(draft.data)}{text}"
            )
    for number, joint in enumerate(arm.driven, 1):
        if joint.kind == "prismatic":
            for group, unit in (("q", "m"), ("qd", "m/s"), ("qdd", "m/s2"), ("tau", "N")):
                draft.units |= {f"{group}{number}": unit, f"{TARGET}{group}{number}": unit}


def _clean(draft: Draft) -> None:
    """Turn infinities into gaps and leave out columns without any value."""
    for name, values in list(draft.data.items()):
        finite = np.isfinite(values)
        if not finite.any():
            del draft.data[name]
            draft.notes.append(f"left out {name}: it has no value")
        elif np.isinf(values).any():
            draft.data[name] = np.where(np.isinf(values), np.nan, values)
            draft.notes.append(f"{name}: {int(np.isinf(values).sum())} infinities became gaps")


def _turn(draft: Draft, mapping: Mapping) -> None:
    """Turn Euler angles into quaternions, and quaternions into unit ones with w >= 0."""
    names = VECTORS["rotation_vector"]
    if mapping.euler and all(name in draft.data for name in names):
        angles = np.stack([draft.data.pop(name) for name in names], axis=1)
        quaternions = euler_to_quaternion(mapping.euler, angles)
        draft.data |= dict(zip(VECTORS["quaternion"], quaternions.T.copy(), strict=True))
        draft.notes.append(f"angles rx ry rz ({mapping.euler}) became qx qy qz qw")
    for prefix in ("", TARGET):
        parts = [prefix + part for part in VECTORS["quaternion"]]
        if all(part in draft.data for part in parts):
            values = np.stack([draft.data[part] for part in parts], axis=1)
            turned, flipped = canonical_quaternions(values, draft.origin)
            draft.data |= dict(zip(parts, turned.T.copy(), strict=True))
            if flipped:
                draft.notes.append(f"{flipped} quaternions changed sign so that {parts[3]} >= 0")


def _add_power(draft: Draft) -> None:
    if {"voltage", "supply_current"} <= set(draft.data) and "power" not in draft.data:
        draft.data["power"] = draft.data["voltage"] * draft.data["supply_current"]
        draft.notes.append("added power = voltage * supply_current")


def _note(draft: Draft) -> None:
    """Add notes on gaps, constants and bunched rows."""
    empty = {name: int(np.isnan(values).sum()) for name, values in draft.data.items()}
    gaps = [f"{name} ({count})" for name, count in empty.items() if count]
    if gaps:
        draft.notes.append(f"cells without a value, kept as NaN: {', '.join(gaps[:8])}")
    still = [name for name, v in draft.data.items() if v.size > 1 and np.nanmin(v) == np.nanmax(v)]
    known = [name for name in still if unit_of(name) is not None]
    if still:
        named = f", among them {listed(known)}" if known else ""
        draft.notes.append(f"constant: {counted(len(still), 'column')}{named}")
    if draft.timed and np.isfinite(draft.time).all() and is_bunched(draft.time):
        draft.notes.append(
            f"{BURSTS}: their time stamps are not the times of measurement; "
            "prepare it with a rate, which gives every row the same step"
        )
