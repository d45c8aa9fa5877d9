"""Records a robot: every sample on disk at once, a Parquet file at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError, OutputExistsError, RecordingError
from armtwin.extras import require
from armtwin.files import replacing
from armtwin.recording.columns.dialects import bundled
from armtwin.recording.columns.names import unit_of
from armtwin.recording.files.row_log import ENDING, RowFile, RowLog, flat_columns, flat_names
from armtwin.recording.files.saved import KEY
from armtwin.robots.ur.protocol.client import Batch
from armtwin.robots.ur.statistics import Coverage
from armtwin.spatial import Array

SMALLEST_STEP = 1e-4
"""Least increase of the recorded time where the robot's clock was set [s]."""


class Timeline:
    """Turns time stamps into times from zero that strictly increase."""

    def __init__(self) -> None:
        self._offset: float | None = None
        self._last = self._arrival = 0.0
        self._stamp = (0.0, 0.0)
        self._coverage = Coverage()
        self.repeats = self.jumps = 0

    def add(self, stamps: Array, arrivals: Array) -> tuple[NDArray[np.intp], Array]:
        """Return which of some samples to keep, and their times [s], strictly increasing."""
        rows = np.flatnonzero(np.isfinite(stamps))
        self.repeats += len(stamps) - len(rows)
        if not len(rows):
            return rows, np.empty(0)
        sets = self._clock_sets(stamps[rows], arrivals[rows])
        kept, time = [], []
        for row, jumped in zip(rows.tolist(), sets.tolist(), strict=True):
            now = self._next(float(stamps[row]), float(arrivals[row]), jumped)
            if now is not None:
                kept.append(row)
                time.append(now)
        return np.array(kept, np.intp), np.array(time)

    def _clock_sets(self, stamps: Array, arrivals: Array) -> NDArray[np.bool_]:
        """Return before which samples the robot's clock was set (n,)."""
        if self._offset is None:
            self._offset, self._last = -float(stamps[0]), -1e-9
            self._arrival = float(arrivals[0])
            self._stamp = float(stamps[0]), float(arrivals[0])
        steps = np.diff(stamps, prepend=self._stamp[0])
        waits = np.diff(arrivals, prepend=self._stamp[1])
        self._stamp = float(stamps[-1]), float(arrivals[-1])
        sets = self._coverage.clock_sets(steps, waits)
        self._coverage.add(steps, waits, sets, period=0.0)
        return sets

    def _next(self, stamp: float, arrival: float, jumped: bool) -> float | None:
        """Return the time of a sample [s]; None if its stamp had come before."""
        assert self._offset is not None
        if jumped:
            self.jumps += 1
            waited = max(arrival - self._arrival, SMALLEST_STEP)
            self._offset = self._last + waited - stamp
        now = stamp + self._offset
        if now <= self._last:
            self.repeats += 1
            return None
        self._last, self._arrival = now, arrival
        return now

    def notes(self) -> tuple[str, ...]:
        """Return what was done to the robot's clock."""
        lines = []
        if self.repeats:
            lines.append(f"{self.repeats} samples with a time stamp that had come before left out")
        if self.jumps:
            lines.append(
                f"the robot's clock was set {self.jumps} times; time follows the arrivals there"
            )
        if self._coverage.uncovered:
            lines.append(
                f"{self._coverage.uncovered:.1f} s by the wall clock are without samples: the "
                "robot was away, stood still or ran slowly"
            )
        return tuple(lines)


DIALECT = "rtde"
ARRIVAL = "arrival"
"""Column of the arrival times, monotonic clock of the recording machine [s]."""
ROWS_A_PART = 5000
"""Rows of a row group: 10 s at 500 Hz; bounds memory."""

FIELDS = (
    "timestamp", "actual_q", "actual_qd", "actual_current", "target_q", "target_qd", "target_qdd",
    "target_current", "target_moment", "actual_TCP_pose", "actual_TCP_speed", "actual_TCP_force",
    "target_TCP_pose", "target_TCP_speed", "joint_temperatures", "actual_joint_voltage",
    "actual_main_voltage", "actual_robot_voltage", "actual_robot_current", "speed_scaling",
    "robot_mode", "safety_mode", "runtime_state", "actual_digital_input_bits",
    "actual_digital_output_bits",
)  # fmt: skip
"""Fields that are recorded by default."""
OPTIONAL = ("tcp_offset", "payload", "payload_cog", "actual_current_as_torque", "ft_raw_wrench")
"""Recorded as well if the controller has them."""


class Recorder:
    """Writes a robot's samples beside ``out`` as they come, and ``out`` when it is closed.

    Args:
        out: the Parquet file to write.
        origin: source of the samples, for the file's metadata.
        arm: name of the arm, if known.
        serial: serial number of the arm, if known.
        force: replace an existing file.
    """

    def __init__(
        self,
        out: Path,
        *,
        origin: str,
        arm: str | None = None,
        serial: str | None = None,
        force: bool = False,
    ) -> None:
        if out.suffix.lower() != ".parquet":
            raise InputError(f"cannot record to {out.name!r}; end it in .parquet")
        require("recording to a Parquet file", "pyarrow")
        if out.exists() and not force:
            raise OutputExistsError(
                f"{out} exists; choose another name, or allow overwriting (force)"
            )
        if not out.parent.is_dir():
            raise InputError(f"{out.parent}: no such folder; make it first")
        self.out, self.log_path = out, out.with_name(out.name + ENDING)
        self._about: dict[str, Any] = {"arm": arm, "origin": origin, "serial": serial}
        self._log: RowLog | None = None
        self._dtype: np.dtype[np.void] | None = None

    @property
    def rows(self) -> int:
        """Rows written so far."""
        return 0 if self._log is None else self._log.rows

    def add(self, batch: Batch) -> None:
        """Write samples to the disk."""
        if self._log is None or self._dtype is None:
            self._dtype = np.dtype([*_parts(batch.rows.dtype), (ARRIVAL, "<f8")])
            started = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._log = RowLog(self.log_path, self._dtype, {**self._about, "started": started})
        rows = np.empty(len(batch), self._dtype)
        for name in batch.rows.dtype.names or ():
            rows[name] = batch.rows[name]
        rows[ARRIVAL] = batch.arrivals
        self._log.append(rows)

    def finish(self, *notes: str) -> Path:
        """Write the Parquet file, delete the log and return the file.

        Raises:
            RecordingError: nothing was recorded.
        """
        finish_log(self.close(), self.out, notes)
        return self.out

    def close(self) -> Path:
        """End the log and return its path, for ``finish_log`` in another process.

        Raises:
            RecordingError: nothing was recorded.
        """
        if self._log is None:
            raise RecordingError("nothing was recorded: no sample came")
        self._log.close()
        return self.log_path

    def __enter__(self) -> Recorder:
        """Return the recorder."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the log; it stays where ``finish`` was not called."""
        if self._log is not None:
            self._log.close()


def _parts(dtype: np.dtype[Any]) -> list[tuple[str, np.dtype[Any]]]:
    return [(name, dtype[name]) for name in dtype.names or ()]


def finish_log(log: Path, out: Path, notes: tuple[str, ...] = ()) -> None:
    """Write a recording's Parquet file from its log, then delete the log.

    Args:
        log: the log of samples.
        out: the Parquet file to write.
        notes: processing notes of the recording.
    """
    to_parquet(log, out, notes)
    log.unlink()


def to_parquet(log: Path, out: Path, notes: tuple[str, ...] = ()) -> None:
    """Write a recording's Parquet file from a log, in parts, so that memory stays constant.

    Columns get the names of recordings (``q1`` for ``actual_q_0``); time starts at 0 and goes on
    through restarts of the controller; samples that came twice are left out.

    Args:
        log: the log of samples.
        out: the Parquet file to write.
        notes: processing notes of the recording.
    """
    import pyarrow as pa
    import pyarrow.parquet as arrow_parquet

    file, clock = RowFile(log), Timeline()
    names = {rule.source: rule.target for rule in _rules(file.dtype)}
    columns = ["time", *(names.get(n, n) for n in flat_names(file.dtype) if n != "timestamp")]
    about = _metadata(file.metadata, columns, (*notes, *_clock_notes(file)))
    fields = [(name, pa.float64()) for name in columns]
    schema = pa.schema(fields, {KEY: json.dumps(about).encode()})
    with (
        replacing(out) as temporary,
        arrow_parquet.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        for rows in file.parts(ROWS_A_PART):
            writer.write_table(pa.table(dict(_columns(rows, names, clock)), schema=schema))


def _clock_notes(file: RowFile) -> tuple[str, ...]:
    clock = Timeline()
    for rows in file.parts(ROWS_A_PART):
        clock.add(rows["timestamp"].astype(float), rows[ARRIVAL].astype(float))
    return clock.notes()


def _rules(dtype: np.dtype[np.void]) -> tuple[Any, ...]:
    return bundled()[DIALECT].mapping(flat_names(dtype), (), strict=False).rules


def _columns(
    rows: NDArray[np.void], names: dict[str, str], clock: Timeline
) -> Iterator[tuple[str, Array]]:
    kept, time = clock.add(rows["timestamp"].astype(float), rows[ARRIVAL].astype(float))
    yield "time", time
    for name, values in flat_columns(rows[kept]):
        if name != "timestamp":
            yield names.get(name, name), values


def _metadata(known: dict[str, Any], columns: list[str], notes: tuple[str, ...]) -> dict[str, Any]:
    units = {name: unit for name in columns if (unit := unit_of(name))}
    units |= {"time": "s", ARRIVAL: "s"}
    return {**known, "timed": True, "units": units, "notes": list(notes)}
