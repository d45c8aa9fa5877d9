"""CSV results that appear under their name only when complete."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.errors import InputError, OutputExistsError
from armtwin.files import replacing

if TYPE_CHECKING:
    from armtwin.spatial import Array


class ResultFile:
    """A CSV file that is written beside its place and renamed there at the end."""

    def __init__(self, path: Path, *, force: bool) -> None:
        """Refuse a place that is taken (unless ``force``) or does not exist."""
        if path.exists() and not force:
            raise OutputExistsError(f"{path} exists; choose another name or add --force")
        if not path.parent.is_dir():
            raise InputError(f"{path.parent}: no such folder; make it first")
        self._path = path

    def __enter__(self) -> ResultFile:
        """Open a file beside the final place."""
        self._open = contextlib.ExitStack()
        temporary = self._open.enter_context(replacing(self._path))
        file = self._open.enter_context(temporary.open("x", newline="", encoding="utf-8"))
        self._writer = csv.writer(file, lineterminator="\n")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Rename the complete file into place, or remove the part of one."""
        self._open.__exit__(kind, error, at)

    def head(self, names: list[str]) -> None:
        """Write the header."""
        self._writer.writerow(names)

    def rows(self, *columns: Array | None) -> None:
        """Write arrays (rows,) or (rows, n) side by side; None is left out."""
        parts = [c.reshape(len(c), -1) for c in columns if c is not None]
        self.lines(np.hstack(parts).tolist())

    def lines(self, rows: Iterable[list[Any]]) -> None:
        """Write rows of mixed values."""
        self._writer.writerows(rows)
