"""Rows of text tables without PyArrow: the same numbers, slower."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import RecordingError
from armtwin.recording.files.csv_format import CsvLayout
from armtwin.recording.files.text_source import Source, opened
from armtwin.recording.table import EXACT, NO_VALUE

ROWS = 20_000
"""Rows that are held as text at a time."""
Column = NDArray[Any] | list[str]
"""Numbers (NaN where a cell is empty), or all cells as text where one of them is no number."""


@dataclass(frozen=True)
class RaggedLine:
    """A line with another number of fields than the header.

    Attributes:
        number: of the line, from 1.
        actual_columns: number of its fields.
        text: the line.
    """

    number: int
    actual_columns: int
    text: str


@contextlib.contextmanager
def as_text(stream: Any) -> Iterator[io.TextIOWrapper]:
    """Read a binary stream as text; bytes that are not UTF-8 become a replacement character."""
    text = io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline=None)
    try:
        yield text
    finally:
        text.detach()  # the stream is closed by its opener


def read_rows(
    source: Source, layout: CsvLayout, origin: str, offset: int = 0
) -> tuple[list[Column], list[RaggedLine]]:
    """Return the columns of a table, and the lines that were left out because they are ragged.

    Args:
        source: a file, or its bytes.
        layout: how the text writes its table.
        origin: the file's name, for errors.
        offset: where the table begins in the source [bytes].

    Raises:
        RecordingError: a cell of more than 128 kB.
    """
    ragged: list[RaggedLine] = []
    parts: list[list[Column]] = [[] for _ in layout.names]
    with opened(source) as stream:
        stream.read(offset)
        try:
            for rows in _blocks(stream, layout, ragged):
                for part, cells in zip(parts, zip(*rows, strict=True), strict=True):
                    part.append(numbers_or_text(cells, layout.decimal))
        except csv.Error as error:
            raise RecordingError(f"{origin} cannot be read as a table: {error}") from error
    return [_joined(part) for part in parts], ragged


def lines_of_cells(stream: Any, layout: CsvLayout) -> Iterator[tuple[int, list[str]]]:
    """Yield the number, from 1, and the cells of every line below the header; none if empty."""
    with as_text(stream) as text:
        for _ in range(layout.skip):
            next(text, None)
        reader = csv.reader(text, delimiter=layout.delimiter)
        for row in reader:
            yield layout.skip + reader.line_num, row


def _blocks(stream: Any, layout: CsvLayout, ragged: list[RaggedLine]) -> Iterator[list[list[str]]]:
    """Yield rows that have the header's width; note the others."""
    rows: list[list[str]] = []
    for number, row in lines_of_cells(stream, layout):
        if len(row) == len(layout.names):
            rows.append(row)
        elif row:
            ragged.append(RaggedLine(number, len(row), layout.delimiter.join(row)))
        if len(rows) == ROWS:
            yield rows
            rows = []
    if rows:
        yield rows


def numbers_or_text(cells: Sequence[str], decimal: str = ".") -> Column:
    """Return cells as float64, large whole numbers as int64, or as text if one is no number."""
    pointed = cells if decimal == "." else [cell.replace(",", ".", 1) for cell in cells]
    if "_" in "".join(pointed):
        return list(cells)  # Python takes 1_000 for a number
    with contextlib.suppress(ValueError):
        return _numbers(pointed)
    empty = frozenset(NO_VALUE)
    with contextlib.suppress(ValueError):
        return _numbers(["nan" if cell.strip() in empty else cell for cell in pointed])
    return list(cells)


def _numbers(cells: Sequence[str]) -> NDArray[Any]:
    values = np.array(cells, dtype=np.float64)
    if np.any(np.abs(values) > EXACT):
        with contextlib.suppress(ValueError, OverflowError):
            return np.array([int(cell) for cell in cells], dtype=np.int64)
    return values


def _joined(parts: list[Column]) -> Column:
    """Return one column of its parts: numbers if all of them are."""
    numbers = [part for part in parts if isinstance(part, np.ndarray)]
    if len(numbers) == len(parts):
        return np.concatenate(numbers) if numbers else np.empty(0)
    return [
        cell
        for part in parts
        for cell in (map(repr, part.tolist()) if isinstance(part, np.ndarray) else part)
    ]
