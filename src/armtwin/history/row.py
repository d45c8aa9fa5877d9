"""A row of a history: what one recording, or one interval of a live twin, showed of an arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

PerJoint = tuple[float | None, ...] | None
"""A figure of every joint (dof,); None where it is not known."""

SPEED = {"revolute": 0.5, "prismatic": 0.1}
"""Speed at which friction is compared where no better one is known [rad/s | m/s]."""
VERSION = 1
"""Of the format of part files; newer ones than this are refused."""
KEY = b"armtwin history"
"""Key of the version in a part file's metadata."""


@dataclass(frozen=True)
class HistoryRow:
    """One row. Units are SI; temperatures are in degC.

    Attributes:
        key: SHA-256 of the recording's samples.
        serial: serial number of the arm.
        arm: name of the arm.
        dof: number of joints.
        recorded: time of the first sample, UTC.
        time_from: where that time comes from.
        added: time of the addition, UTC.
        kind: "recording" or "live".
        origin: file or address that the samples come from.
        duration: [s].
        temperature: mean of every joint.
        tool_error: RMSE of the tool's position [m]; ``tool_error_max`` is the largest error.
        tool_error_max: [m].
        angle_error: RMSE of the tool's orientation [rad].
        joint_error: RMS of measured less target positions [rad | m].
        torque_error: RMSE of the twin's torques [Nm].
        current_error: RMSE of the twin's motor currents [A].
        coulomb: Coulomb friction [Nm], where the identification holds it (motor or joint).
        coulomb_se: its standard error.
        viscous: viscous friction [Nm s/rad].
        viscous_se: its standard error.
        friction: friction at ``friction_speed`` in the unit of the measured effort.
        friction_se: its standard error.
        friction_speed: [rad/s | m/s], the same in all rows of an arm; None: ``SPEED``.
        friction_unit: "A" or "Nm".
        torque_constant: [Nm/A].
        torque_constant_se: its standard error.
        payload: mass on the flange [kg], identified or as the controller reports it.
        payload_se: its standard error; None where it was reported.
        energy: from the supply [J].
        cycles: repetitions of the motion that the recording holds.
        energy_per_cycle: [J].
        contacts: detected contacts.
        notes: what could not be found out, and why.
    """

    key: str
    serial: str
    arm: str
    dof: int
    recorded: datetime
    time_from: str
    added: datetime
    kind: str = "recording"
    origin: str = ""
    duration: float | None = None
    temperature: PerJoint = None
    tool_error: float | None = None
    tool_error_max: float | None = None
    angle_error: float | None = None
    joint_error: PerJoint = None
    torque_error: PerJoint = None
    current_error: PerJoint = None
    coulomb: PerJoint = None
    coulomb_se: PerJoint = None
    viscous: PerJoint = None
    viscous_se: PerJoint = None
    friction: PerJoint = None
    friction_se: PerJoint = None
    friction_speed: PerJoint = None
    friction_unit: str | None = None
    torque_constant: PerJoint = None
    torque_constant_se: PerJoint = None
    payload: float | None = None
    payload_se: float | None = None
    energy: float | None = None
    cycles: int | None = None
    energy_per_cycle: float | None = None
    contacts: int | None = None
    notes: str = ""

    def figures(self) -> dict[str, Any]:
        """Return what was measured, without what is not known."""
        return {
            name: getattr(self, name)
            for name in FIGURES
            if getattr(self, name) is not None and getattr(self, name) != ""
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data, ready for JSON."""
        values = {name: getattr(self, name) for name in NAMES}
        return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items()}


NAMES = tuple(field.name for field in fields(HistoryRow))
FIGURES = NAMES[NAMES.index("duration") :]
"""Columns that are figures; those before say which recording it is."""


def schema() -> pa.Schema:
    """Return the columns of a part file."""
    import pyarrow as pa

    time = pa.timestamp("us")  # UTC; DuckDB needs an extension for types with a time zone
    kinds = {
        "str": pa.string(), "str | None": pa.string(), "int": pa.int32(), "int | None": pa.int32(),
        "float | None": pa.float64(), "PerJoint": pa.list_(pa.float64()), "datetime": time,
    }  # fmt: skip
    columns = [(field.name, kinds[str(field.type)]) for field in fields(HistoryRow)]
    return pa.schema(columns, {KEY: str(VERSION).encode()})


def to_arrow(rows: Sequence[HistoryRow]) -> pa.Table:
    """Return rows as an Arrow table."""
    import pyarrow as pa

    columns = {name: [_plain(getattr(row, name)) for row in rows] for name in NAMES}
    return pa.table(columns, schema=schema())


def from_arrow(table: pa.Table) -> list[HistoryRow]:
    """Return the rows of an Arrow table."""
    rows = []
    for values in table.select(list(NAMES)).to_pylist():
        rows.append(HistoryRow(**{k: _frozen(v) for k, v in values.items() if v is not None}))
    return rows


def _plain(value: Any) -> Any:
    """Return times as UTC without a zone, as they are stored."""
    return value.astimezone(UTC).replace(tzinfo=None) if isinstance(value, datetime) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC)
    return tuple(value) if isinstance(value, list) else value
