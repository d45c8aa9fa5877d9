"""A folder with one table per signal (``q.csv``, ``current.csv``, ...) as one recording.

Every table is read as any other file; columns that say nothing themselves (no header, ``joint 1``)
are named by their file. The clock is that of the table with the joint positions. Tables with the
same times are put beside it, others are drawn on lines between their times; tables without a clock
must have as many rows.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from armtwin.errors import MissingColumnError, RecordingError
from armtwin.recording.columns.headers import meaning
from armtwin.recording.columns.names import listed
from armtwin.recording.files.open_file import table_files
from armtwin.recording.preparation.clock import on_lines
from armtwin.recording.recording import Recording
from armtwin.recording.table import RawTable
from armtwin.spatial import Array

_BARE = re.compile(r"(?:column|joint|axis|motor|j|col|value|data)?[\s_]*(\d+)", re.IGNORECASE)
_NUMBERED = re.compile(r"[a-z]{1,3}[\s_]*\d+", re.IGNORECASE)
"""Headers that only number their column, and those that may, where their letters mean nothing."""
_CLOCKS = ("time", "timestamp", "timestamps", "t", "stamp", "clock")
SAME = 1e-6
"""Largest difference of two clocks that are the same [s]."""


def name_by_file(table: RawTable, stem: str, joints: int) -> None:
    """Rename columns that only count by the file's name: ``column 1`` of qd.csv becomes ``qd_1``.

    The first of ``joints + 1`` columns without a header is the time where it increases throughout.

    Args:
        table: the file's table; changed.
        stem: the file's name without its ending.
        joints: number of joints.
    """
    names, clock = list(table.columns), meaning("time")
    plain = [name for name in names if meaning(name) != clock]
    if not plain or not all(_says_nothing(name) for name in plain):
        return
    if meaning(f"{stem} 1") is None:
        raise RecordingError(
            f"{table.origin}: neither its columns ({listed(plain)}) nor its name say what it holds"
        )
    first = table.columns[plain[0]].astype(float)
    untimed = len(plain) == len(names) == joints + 1
    if untimed and not (np.diff(first) > 0).all():
        raise RecordingError(
            f"{table.origin}: {joints + 1} columns for {joints} joints, but the first is no time "
            "that increases; name the columns in a mapping"
        )
    new = {plain[0]: "time"} if untimed else {}
    new |= {name: f"{stem}_{k}" for k, name in enumerate(plain[len(new) :], 1)}
    table.columns = {new.get(name, name): values for name, values in table.columns.items()}
    table.notes.append(f"columns named by their file: {', '.join(list(new.values())[:4])}, ...")


def _says_nothing(name: str) -> bool:
    """Return whether a header only numbers its column: ``joint 1``, ``3``, ``i2``."""
    if _BARE.fullmatch(name):
        return True
    return bool(_NUMBERED.fullmatch(name)) and meaning(name) is None


def read_folder(folder: Path, read_one: Callable[[Path], Recording]) -> Recording:
    """Return the tables of a folder as one recording.

    Args:
        folder: it holds a table per signal.
        read_one: reads one of them.

    Raises:
        RecordingError: no table that is known, or tables that do not fit each other.
    """
    parts, notes, clock = [], [], None
    for file in table_files(folder):
        try:
            if file.stem.lower() in _CLOCKS:
                clock = np.loadtxt(file, ndmin=1, comments=("#", "%", '"', "t", "T", "s", "S"))
                continue
            parts.append((file.name, read_one(file)))
        except (RecordingError, MissingColumnError, ValueError) as error:
            notes.append(f"left out {file.name}: {str(error).removeprefix(f'{file.name}: ')}"[:160])
    if not parts:
        why = f": {notes[0]}" if notes else ""
        raise RecordingError(
            f"folder {folder.name} holds no .db3 or .mcap file of a bag, no LeRobot dataset and no "
            f"table of signals{why}"
        )
    return _joined(folder.name, parts, clock, notes)


def _joined(
    origin: str, parts: list[tuple[str, Recording]], clock: Array | None, notes: list[str]
) -> Recording:
    """Return the parts beside each other on one clock."""
    order = sorted(parts, key=lambda part: (not part[1].timed, not part[1].has("q")))
    base = order[0][1]
    if not base.timed and clock is not None:
        if clock.ndim != 1 or len(clock) != len(base):
            raise RecordingError(
                f"{origin}: the clock has {len(clock)} rows, {order[0][0]} has {len(base)}"
            )
        base = dataclasses.replace(base, time=clock, timed=True)
    data, units = dict(base.data), dict(base.units)
    notes = [*notes, *base.notes]
    for name, part in order[1:]:
        own, note = _on_clock(origin, name, part, base)
        again = [column for column in own if column in data]
        if again:
            notes.append(f"left out {listed(again)} of {name}: another file has them")
        data |= {column: values for column, values in own.items() if column not in data}
        units |= {column: part.units[column] for column in own if column not in units}
        notes += [*part.notes, note]
    notes = list(dict.fromkeys(line for line in notes if line))
    return dataclasses.replace(base, data=data, units=units, origin=origin, notes=tuple(notes))


def _on_clock(
    origin: str, name: str, part: Recording, base: Recording
) -> tuple[dict[str, Array], str]:
    """Return a part's columns at the rows of another, and how they came there."""
    same = len(part) == len(base)
    if not part.timed or not base.timed:
        if not same:
            raise RecordingError(
                f"{origin}: {name} has no clock and {len(part)} rows, the joint positions have "
                f"{len(base)}; give it a time column, or leave it out"
            )
        return dict(part.data), f"{name}: row by row, it has no clock"
    if same and np.abs(part.time - base.time).max() <= SAME:
        return dict(part.data), ""
    if part.time[0] >= base.time[-1] or part.time[-1] <= base.time[0]:
        raise RecordingError(
            f"{origin}: {name} (from {part.time[0]:.6g} to {part.time[-1]:.6g} s) and the joint "
            f"positions (from {base.time[0]:.6g} to {base.time[-1]:.6g} s) do not overlap in time"
        )
    drawn = {column: on_lines(base.time, part.time, values) for column, values in part.data.items()}
    return drawn, f"{name}: on lines between its own {len(part)} times, at those of the others"
