"""Opening files of any kind as tables, by their ending."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from armtwin.errors import RecordingError
from armtwin.recording.files.bags.choice import BagChoice
from armtwin.recording.files.saved import read_beside, read_saved_csv
from armtwin.recording.table import RawTable

_SECONDS = re.compile(r"^(.*?)(secs?|seconds)$", re.IGNORECASE)
_NANOSECONDS = re.compile(r"^(.*?)(nanosecs?|nsecs?|nanoseconds)$", re.IGNORECASE)
_SECOND = 1_000_000_000
"""A second [ns]."""


def join_stamps(table: RawTable) -> None:
    """Join ``header.stamp.sec`` and ``header.stamp.nanosec`` (or the like) into one column."""
    parts = {match[1]: name for name in table.columns if (match := _NANOSECONDS.match(name))}
    for name in list(table.columns):
        match = _SECONDS.match(name)
        if match is None or name in parts.values() or match[1] not in parts:
            continue
        seconds, nano = table.columns.pop(name), table.columns.pop(parts[match[1]])
        whole = np.isfinite(seconds) & np.isfinite(nano)
        if not whole.all():
            table.columns["stamp"] = seconds + 1e-9 * nano
        else:
            table.columns["stamp"] = seconds.astype(np.int64) * _SECOND + nano.astype(np.int64)
            table.nanoseconds.add("stamp")
        table.notes.append(f"joined {name} and {parts[match[1]]} into one time stamp")
        return


ENDINGS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "csv",
    ".dat": "csv",
    ".gz": "csv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xls": "xlsx",
    ".ods": "xlsx",
    ".parquet": "parquet",
    ".db3": "ros_bag",
    ".mcap": "ros_bag",
    ".bag": "ros_bag",
    ".rows": "row_log",
}
"""Module that reads a file, by its ending."""
INFO = Path("meta") / "info.json"
"""File that marks the folder of a LeRobot dataset."""


def read_table(path: Path, choice: BagChoice | None = None) -> RawTable:
    """Return a file's columns as they are.

    Args:
        path: the file.
        choice: which robot of a bag, where it holds several; other files ignore it.

    Raises:
        RecordingError: no such file, an unknown ending, or no table in it.
    """
    if not path.exists():
        near = [other.name for other in path.parent.glob(f"{path.stem[:4]}*")][:3]
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise RecordingError(f"no such file: {path}{hint}")
    kind = _folder_kind(path) if path.is_dir() else ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise RecordingError(
            f"cannot read {path.name}: files end in {', '.join(ENDINGS)} (or are a bag's folder)"
        )
    try:
        saved = read_saved_csv(path) if kind == "csv" else None
        table = saved or _reader(kind, choice)(path)
    except OSError as error:
        reason = error.strerror or error
        raise RecordingError(f"{path.name} cannot be opened: {reason}") from error
    if table.exact:
        return table
    if kind == "csv":
        table.metadata = read_beside(path)
    if "units" not in table.metadata:
        join_stamps(table)
    return table


def _folder_kind(folder: Path) -> str:
    """Return which module reads a folder: a LeRobot dataset or a ROS 2 bag."""
    return "lerobot" if (folder / INFO).is_file() else "ros_bag"


def is_signal_folder(path: Path) -> bool:
    """Return whether a folder holds a table per signal: neither a bag nor a LeRobot dataset."""
    if not path.is_dir() or (path / INFO).is_file() or (path / "metadata.yaml").exists():
        return False
    from armtwin.recording.files.bags.ros_bag import bag_files

    return not bag_files(path)


def table_files(folder: Path) -> list[Path]:
    """Return the tables in a folder, by name."""
    kinds = ("csv", "xlsx", "parquet")
    return sorted(path for path in folder.iterdir() if ENDINGS.get(path.suffix.lower()) in kinds)


def _reader(kind: str, choice: BagChoice | None) -> Callable[[Path], RawTable]:
    if kind == "csv":
        from armtwin.recording.files.csv import read_csv

        return read_csv
    if kind == "xlsx":
        from armtwin.recording.files.xlsx import read_xlsx

        return read_xlsx
    if kind == "parquet":
        from armtwin.recording.files.parquet import read_parquet

        return read_parquet
    if kind == "row_log":
        from armtwin.recording.files.row_log import read_row_log

        return read_row_log
    if kind == "lerobot":
        from armtwin.recording.files.lerobot import read_lerobot

        return read_lerobot
    from armtwin.recording.files.bags.ros_bag import read_ros_bag

    return functools.partial(read_ros_bag, choice=choice)
