"""Recording: named columns over time, in SI units, read-only.

Holding a ``Recording`` means that its time strictly increases, that its columns are named and
equally long and that their units are known. NaN means "no value here"; infinity never occurs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import ClockError, InputError, MissingColumnError
from armtwin.recording.arrays import check_names, locked, split
from armtwin.recording.columns.names import TARGET, listed, members, unit_of
from armtwin.recording.preparation import clock
from armtwin.spatial import Array, as_numbers

if TYPE_CHECKING:
    from armtwin.recording.motion import JointMotion


@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """Columns over time. Make one with ``read_recording`` or ``Recording.of``.

    Attributes:
        time: (n,) [s], strictly increasing; the row numbers 0, 1, ... where ``timed`` is False.
        data: the columns by name, each (n,) float64, read-only.
        units: unit of every column; "" where the file did not say and the name is its own.
        arm: name of the arm, if known.
        origin: where it comes from: "simulated", a file's name, ...
        notes: processing notes: what was done to the file's values.
        timed: False for poses without a clock, such as a calibration's.
        serial: serial number of the recorded arm, if known.
        started: date and time at ``time`` 0, ISO 8601 with its time zone, if known.
    """

    time: Array
    data: Mapping[str, Array]
    units: Mapping[str, str] = field(default_factory=dict)
    arm: str | None = None
    origin: str = ""
    notes: tuple[str, ...] = ()
    timed: bool = True
    serial: str | None = None
    started: str | None = None

    def __post_init__(self) -> None:
        """Check the columns and lock them."""
        time = locked("time", self.time)
        if time.size == 0:
            raise InputError(f"{self.origin or 'recording'}: a recording needs at least one row")
        clock.check_clock(time, self.origin or "recording")
        check_names(self.data)
        data = {name: locked(name, values) for name, values in self.data.items()}
        for name, values in data.items():
            if values.shape != time.shape:
                raise InputError(
                    f"column {name!r} has {values.size} rows but time has {time.size}; "
                    "every column needs one value per row"
                )
        units = {name: unit_of(name) or self.units.get(name, "") for name in data}
        units |= {name: unit for name, unit in self.units.items() if name in data}
        units["time"] = "s" if self.timed else "row"
        for name, value in (("time", time), ("data", data), ("units", units)):
            fixed = MappingProxyType(value) if isinstance(value, dict) else value
            object.__setattr__(self, name, fixed)

    @classmethod
    def of(
        cls,
        time: ArrayLike,
        groups: Mapping[str, ArrayLike],
        *,
        arm: str | None = None,
        origin: str = "",
        units: Mapping[str, str] | None = None,
    ) -> Recording:
        """Return a recording of arrays: ``{"q": (n, dof), "position": (n, 3), "power": (n,)}``.

        Args:
            time: increasing times (n,) [s].
            groups: arrays by group or column, in SI units.
            arm: name of the arm.
            origin: where the values come from.
            units: units of columns whose names are not known to ``columns.names``.
        """
        data = {name: column for key in groups for name, column in split(key, groups[key]).items()}
        return cls(as_numbers(time, "time"), data, units or {}, arm, origin)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to rebuild an equal recording, checked and locked again, for copies."""
        given = (self.time, dict(self.data), dict(self.units), self.arm, self.origin)
        return type(self), (*given, self.notes, self.timed, self.serial, self.started)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.time.size

    def __getitem__(self, name: str) -> Array:
        """Return one column (n,), or ``time``."""
        if name == "time":
            return self.time
        if name not in self.data:
            members(name, self.data)
            raise MissingColumnError(f"{name!r} is a group; take it with .group({name!r})")
        return self.data[name]

    def __repr__(self) -> str:
        """Return one line with arm, rows, duration, rate and columns."""
        pace = f"{self.duration:.6g} s at {self.rate:.6g} Hz" if self.timed else "no clock"
        arm = f" of {self.arm}" if self.arm else ""
        return f"<Recording{arm}: {len(self)} rows, {pace}; {listed(self.data)}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, without time."""
        return tuple(self.data)

    @property
    def rate(self) -> float:
        """Rows per second (of the median step; of the mean one where rows came in bursts)."""
        return clock.nominal_rate(self.require_clock())

    @property
    def duration(self) -> float:
        """Seconds from the first row to the last."""
        time = self.require_clock()
        return float(time[-1] - time[0])

    @property
    def dof(self) -> int:
        """Number of joints, of ``q`` or else of ``target_q``."""
        return len(members("q" if self.has("q") else TARGET + "q", self.data))

    def require_clock(self) -> Array:
        """Return time (n,) [s]; raise ClockError where the rows have none."""
        if not self.timed:
            raise ClockError(
                f"{self.origin or 'the recording'} has no time column: its rows are numbered; "
                "name one in a mapping file, or give rows a rate with 'armtwin prepare'"
            )
        return self.time

    def has(self, *groups: str) -> bool:
        """Return whether every one of these groups or columns is complete."""
        try:
            return all(bool(members(group, self.data)) for group in groups)
        except MissingColumnError:
            return False

    def group(self, name: str) -> Array:
        """Return a group's columns side by side: ``"q"`` (n, dof), ``"position"`` (n, 3).

        Raises:
            MissingColumnError: a part of the group does not exist; what exists is listed.
        """
        stacked = np.stack([self.data[column] for column in members(name, self.data)], axis=-1)
        stacked.flags.writeable = False
        return stacked

    @property
    def q(self) -> Array:
        """Joint positions (n, dof) [rad | m]."""
        return self.group("q")

    @property
    def qd(self) -> Array:
        """Joint speeds (n, dof) [rad/s | m/s]."""
        return self.group("qd")

    @property
    def qdd(self) -> Array:
        """Joint accelerations (n, dof) [rad/s2 | m/s2]."""
        return self.group("qdd")

    @property
    def tau(self) -> Array:
        """Joint torques (n, dof) [Nm | N]."""
        return self.group("tau")

    @property
    def current(self) -> Array:
        """Motor currents (n, dof) [A]."""
        return self.group("current")

    def poses(self, prefix: str = "") -> Array:
        """Return the recorded tool poses (n, 4, 4); ``prefix="target_"`` for the commanded ones.

        The rotation is taken from the quaternion, else the rotation vector, else roll-pitch-yaw.
        """
        from armtwin.recording.columns.rotation import poses

        return poses(self, prefix)

    def motion(self, prefix: str = "", *, cutoff: float | None = None) -> JointMotion:
        """Return positions, speeds and accelerations; what is not recorded is derived.

        See ``armtwin.recording.motion`` for the filter and the rule of its cutoff.

        Args:
            prefix: "" for measured joints, "target_" for commanded ones.
            cutoff: of the low-pass filter [Hz]; None chooses it from rate and noise.
        """
        from armtwin.recording.motion import joint_motion

        return joint_motion(self, prefix, cutoff=cutoff)

    def slice(self, start: float, stop: float) -> Recording:
        """Return the rows with ``start <= time <= stop``."""
        first, last = np.searchsorted(self.time, start), np.searchsorted(self.time, stop, "right")
        if last <= first:
            raise InputError(
                f"no row lies between {start:g} and {stop:g}; "
                f"time runs from {self.time[0]:g} to {self.time[-1]:g}"
            )
        data = {name: values[first:last] for name, values in self.data.items()}
        return dataclasses.replace(self, time=self.time[first:last], data=data)

    def select(self, *groups: str) -> Recording:
        """Return only these groups or columns."""
        kept = [name for group in groups for name in members(group, self.data)]
        return dataclasses.replace(self, data={name: self.data[name] for name in kept})

    def with_columns(
        self, groups: Mapping[str, ArrayLike], units: Mapping[str, str] | None = None
    ) -> Recording:
        """Return a copy with more or other columns; groups as in ``Recording.of``."""
        data = dict(self.data)
        for key, values in groups.items():
            data |= split(key, values)
        return dataclasses.replace(self, data=data, units={**self.units, **(units or {})})

    def with_notes(self, *lines: str) -> Recording:
        """Return a copy with further processing notes."""
        return dataclasses.replace(self, notes=(*self.notes, *lines))

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the recording to a .parquet or .csv file; over an existing one with ``force``."""
        from armtwin.recording.files.saved import save

        return save(self, Path(path), force=force)
