"""Tables of named columns: inputs and outputs of an FMU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.errors import ClockError, InputError
from armtwin.extras import require
from armtwin.files import write_output
from armtwin.fmu.run.grid import TIME_NAMES
from armtwin.fmu.run.output_file import check_output
from armtwin.recording.files.saved import csv_header, csv_rows
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Signals:
    """Columns over an increasing time [s].

    Attributes:
        time: (n,).
        columns: by name, (n,) each.
    """

    time: Array
    columns: Mapping[str, Array]

    def __post_init__(self) -> None:
        if self.time.ndim != 1 or not self.time.size:
            raise InputError(f"time has shape {self.time.shape}; expected (n,) with n at least 1")
        if not np.isfinite(self.time).all():
            row = int(np.flatnonzero(~np.isfinite(self.time))[0])
            raise ClockError(f"time is not a number in row {row + 1}")
        back = np.flatnonzero(np.diff(self.time) <= 0)
        if back.size:
            row = int(back[0])
            raise ClockError(
                f"time does not increase from row {row + 1} ({self.time[row]:g} s) to row "
                f"{row + 2} ({self.time[row + 1]:g} s); sort or mend it (armtwin prepare)"
            )
        for name, values in self.columns.items():
            if values.shape != self.time.shape:
                raise InputError(f"{name} has {values.size} rows, time has {self.time.size}")

    def at_step(self, step: float) -> Signals:
        """Return the signals at equal steps from the first to the last time, by straight lines."""
        if not (np.isfinite(step) and step > 0):
            raise InputError(f"step is {step}; give seconds above 0, such as 0.002")
        count = int(np.floor((self.time[-1] - self.time[0]) / step + 1e-6)) + 1
        grid = self.time[0] + step * np.arange(count)
        near = np.interp(grid, self.time, np.arange(self.time.size))
        nearest = np.rint(near).astype(int)
        kept = np.abs(self.time[nearest] - grid) < 1e-6 * step
        columns = {}
        for name, values in self.columns.items():
            lines = np.interp(grid, self.time, values)
            columns[name] = np.where(kept, values[nearest], lines)
        return Signals(grid, columns)


def read_signals(path: Path, step: float | None = None) -> Signals:
    """Return a table file (CSV with any delimiter, XLSX, Parquet) as signals.

    A column ``time`` or ``t`` holds seconds; a file without one needs ``step``.
    """
    from armtwin.recording.files.open_file import read_table

    table = read_table(path)
    if table.bad:
        raise InputError(f"{path}: no number: {table.bad[0]}")
    columns = {name: np.asarray(values, np.float64) for name, values in table.columns.items()}
    if not columns:
        raise InputError(f"{path}: no columns of numbers")
    for name in columns:
        if name.lower() in TIME_NAMES:
            return Signals(columns.pop(name), columns)
    if step is None:
        raise InputError(
            f"{path}: no column 'time'; it has {', '.join(columns)}; add one, or give the step "
            "between rows (step, for example 0.002 s)"
        )
    rows = next(iter(columns.values())).size
    return Signals(step * np.arange(rows, dtype=np.float64), columns)


def write_signals(path: Path, signals: Signals, *, force: bool = False) -> None:
    """Write signals as CSV (numbers that read back exactly) or Parquet.

    Args:
        path: the file, .csv or .parquet.
        signals: the table.
        force: overwrite an existing file.
    """
    check_output(path, force=force)
    columns = {"time": signals.time, **signals.columns}
    if path.suffix == ".csv":
        data = csv_header(list(columns)) + csv_rows(list(columns.values()))
    else:
        data = _parquet(columns)
    write_output(path, data, force=force)


def _parquet(columns: Mapping[str, Array]) -> bytes:
    require("a Parquet file (a CSV file does without)", "pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(dict(columns)), sink, compression="zstd")
    return bytes(sink.getvalue())
