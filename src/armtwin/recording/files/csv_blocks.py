"""CSV files read in blocks of any total size, with every fault named by line and column."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import InputError
from armtwin.recording.files.csv import no_rows
from armtwin.recording.files.csv_format import CsvLayout, header_layout
from armtwin.recording.files.plain_csv import lines_of_cells
from armtwin.recording.files.text_source import find_source, opened, sample, single_blanks
from armtwin.spatial import Array

ROWS = 20_000
"""Rows of a block: bounds memory for files of any size."""


@dataclass(frozen=True)
class CsvBlock:
    """Some rows of a file as text.

    Attributes:
        path: the file.
        layout: how it writes its table; ``header`` has the names in lower case.
        rows: the cells as text, one per name; an empty line has empty cells.
        first_line: line of the file that the first row stands in, from 1.
        done: share of the file read so far, 0 to 1.
    """

    path: Path
    layout: CsvLayout
    rows: list[list[str]]
    first_line: int
    done: float

    @property
    def header(self) -> list[str]:
        """Names of the columns, in lower case."""
        return [name.lower() for name in self.layout.names]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def has(self, *names: str) -> bool:
        """Return whether all these columns exist."""
        return all(name in self.header for name in names)

    def column(self, *names: str) -> int:
        """Return the index of the first of some names that the header has."""
        for name in names:
            if name.lower() in self.header:
                return self.header.index(name.lower())
        raise InputError(
            f"{self.path}: no column {' or '.join(names)}; the header has "
            f"{', '.join(self.header)}; its first line must name the columns"
        )

    def values(self, columns: list[int]) -> Array:
        """Return the numbers of some columns, (rows, columns).

        Raises:
            InputError: a cell that is no number.
        """
        try:
            return np.column_stack([self._numbers(column) for column in columns])
        except (ValueError, IndexError):
            raise self._fault(columns) from None

    def _numbers(self, column: int) -> Array:
        cells = [row[column] for row in self.rows]
        if "_" in "".join(cells):
            raise ValueError("Python takes 1_000 for a number")
        return np.array([self._plain(cell) for cell in cells], dtype=np.float64)

    def _plain(self, cell: str) -> str:
        return cell if self.layout.decimal == "." else cell.replace(",", ".", 1)

    def _fault(self, columns: list[int]) -> InputError:
        """Return the error that names the first cell, by line, that is no number."""
        for line, row in enumerate(self.rows, self.first_line):
            where = f"{self.path}: line {line}"
            if not any(map(str.strip, row)):
                return InputError(f"{where} is empty; the header has {len(self.header)} fields")
            for column in columns:
                if not _is_number(text := self._plain(row[column]).strip()):
                    return InputError(
                        f"{where}, column {self.header[column]}: {text!r} is not a number "
                        "(such as 1.5 or -2e-3)"
                    )
        return InputError(f"{self.path}: line {self.first_line} and later: no table of numbers")


def _is_number(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return "_" not in text and float(text) is not None
    return False


def blocks(path: Path, *, rows: int = ROWS) -> Iterator[CsvBlock]:
    """Yield the rows of a CSV file with a header, at most ``rows`` of them at a time.

    Raises:
        InputError: no such file, or a row longer or shorter than the header.
        RecordingError: no header or no rows.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    source = find_source(path)
    layout = header_layout(sample(source, path.name))
    source = single_blanks(source) if layout.padded else source
    size = len(source) if isinstance(source, bytes) else path.stat().st_size
    line, kept = layout.skip + 1, list[list[str]]()
    with opened(source) as stream:
        for row in _rows(path, stream, layout):
            kept.append(row)
            if len(kept) == rows:
                yield CsvBlock(path, layout, kept, line, min(stream.tell() / size, 1.0))
                line, kept = line + rows, []
    if kept:
        yield CsvBlock(path, layout, kept, line, 1.0)
    elif line == layout.skip + 1:
        raise no_rows(layout, path.name)


def _rows(path: Path, stream: Any, layout: CsvLayout) -> Iterator[list[str]]:
    """Yield the cells of every line below the header; those of an empty line are empty."""
    width = len(layout.names)
    try:
        for number, row in lines_of_cells(stream, layout):
            if row and len(row) != width:
                raise InputError(
                    f"{path}: line {number} has {len(row)} fields; the header has {width} fields"
                )
            yield row or [""] * width
    except csv.Error as error:
        raise InputError(f"{path}: cannot be read as a table: {error}") from error
