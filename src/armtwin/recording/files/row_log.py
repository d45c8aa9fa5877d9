"""Row logs: samples of a running machine, on disk as soon as they have come.

A log is one line ``armtwin rows 1``, one line of JSON that says how a row is laid out, and then
rows of fixed length, each written whole as it comes. A process may die at any moment: every row
but the one being written can be read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError, OutputExistsError, RecordingError
from armtwin.recording.table import RawTable

ENDING = ".rows"
MAGIC = b"armtwin rows 1\n"
LONGEST_HEAD = 1 << 20
"""Of the line that describes a row [bytes]; a damaged file may have no line end at all."""
_NUMBERS = frozenset("?bBiuf")


class RowLog:
    """A log that is being written.

    Args:
        path: where; it must not exist.
        dtype: layout of a row, a structured type of numbers and short vectors.
        metadata: what the log says about itself, as JSON.
    """

    def __init__(self, path: Path, dtype: np.dtype[np.void], metadata: Mapping[str, Any]) -> None:
        self.path, self.dtype, self.rows = path, dtype, 0
        fields = [[name, *_field(dtype, name)] for name in dtype.names or ()]
        head = json.dumps({"fields": fields, "metadata": dict(metadata)}).encode()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        try:
            self._descriptor = os.open(path, flags, 0o644)
        except FileExistsError as error:
            raise OutputExistsError(
                f"{path} exists, left by a recording that was cut short; read it "
                f"(armtwin prepare {path}) and move it away"
            ) from error
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error
        self._write(MAGIC + head + b"\n")

    def append(self, rows: NDArray[np.void]) -> None:
        """Write rows (n,); they are handed to the operating system when this returns."""
        self._write(np.ascontiguousarray(rows, self.dtype).tobytes())
        self.rows += len(rows)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError as error:
            raise RecordingError(
                f"{self.path}: {error.strerror}; {self.rows} rows were written and can be read"
            ) from error

    def close(self) -> None:
        """End the log; its rows are on the disk."""
        if self._descriptor >= 0:
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> RowLog:
        """Return the log."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the log."""
        self.close()


def _field(dtype: np.dtype[np.void], name: str) -> tuple[str, list[int]]:
    part = dtype[name]
    return part.base.str, list(part.shape)


class RowFile:
    """A log that is being read, also one that was cut short.

    Attributes:
        dtype: layout of a row.
        metadata: what the log says about itself.
        rows: how many whole rows it has.

    Raises:
        RecordingError: not such a log.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise RecordingError(f"{path.name} is no log of rows: it begins otherwise")
            head = file.readline(LONGEST_HEAD)
            self._start = file.tell()
        try:
            known = json.loads(head)
            fields = [(str(n), _safe(kind), tuple(shape)) for n, kind, shape in known["fields"]]
            self.dtype, self.metadata = np.dtype(fields), dict(known["metadata"])
            self.rows = (path.stat().st_size - self._start) // self.dtype.itemsize
        except (ValueError, TypeError, KeyError, ZeroDivisionError) as error:
            raise RecordingError(f"{path.name}: its head cannot be read: {error}") from error

    def parts(self, most: int) -> Iterator[NDArray[np.void]]:
        """Yield the rows in order, at most ``most`` at once."""
        with self.path.open("rb") as file:
            file.seek(self._start)
            left = self.rows
            while left:
                data = file.read(min(most, left) * self.dtype.itemsize)
                rows = np.frombuffer(data, self.dtype, len(data) // self.dtype.itemsize)
                if not len(rows):
                    return
                left -= len(rows)
                yield rows


def _safe(kind: str) -> np.dtype[Any]:
    found = np.dtype(kind)
    if found.kind not in _NUMBERS:
        raise ValueError(f"type {kind!r} is no number")
    return found


def flat_names(dtype: np.dtype[np.void]) -> list[str]:
    """Return the columns of a row: ``actual_q_0`` ... for a vector ``actual_q``."""
    names = []
    for name in dtype.names or ():
        shape = dtype[name].shape
        names += [f"{name}_{k}" for k in range(shape[0])] if shape else [name]
    return names


def flat_columns(rows: NDArray[np.void]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield every column of some rows by its flat name."""
    for name in rows.dtype.names or ():
        values = rows[name].astype(np.float64)
        if values.ndim == 1:
            yield name, values
        else:
            for k in range(values.shape[1]):
                yield f"{name}_{k}", values[:, k]


def read_row_log(path: Path) -> RawTable:
    """Return the table of a log."""
    file = RowFile(path)
    if not file.rows:
        raise RecordingError(f"{path.name} holds no whole row; nothing had come before it was cut")
    rows = next(file.parts(file.rows))
    return RawTable(path.name, dict(flat_columns(rows)), metadata=file.metadata)
