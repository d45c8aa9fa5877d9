"""CSV files read in blocks of any total size, with every fault named by line and column."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.spatial import Array

ROWS = 20_000


@dataclass(frozen=True)
class CsvBlock:
    """Some rows of a file as text, with the line they start at and the share read so far."""

    path: Path
    header: list[str]
    rows: list[list[str]]
    first_line: int
    done: float

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
        """Return the numbers of some columns, (rows, columns)."""
        picked = [[row[c] for c in columns] for row in self.rows]
        try:
            return np.array(picked, dtype=np.float64)
        except ValueError:
            for line, row in enumerate(picked, self.first_line):
                for column, text in zip(columns, row, strict=True):
                    _number(text, f"{self.path}: line {line}, column {self.header[column]}")
            raise


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}: {text!r} is not a number (such as 1.5 or -2e-3)") from None


def blocks(path: Path, *, rows: int = ROWS) -> Iterator[CsvBlock]:
    """Yield the rows of a CSV file with a header, ``rows`` of them at a time.

    Raises:
        InputError: no such file, no rows, or a row longer or shorter than the header.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    size = path.stat().st_size
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(iter(file.readline, ""))
            header = [name.strip().lower() for name in next(reader, [])]
            kept, first = list[list[str]](), 2
            for row in reader:
                kept.append(_checked(row, len(header), f"{path}: line {reader.line_num}"))
                if len(kept) == rows:
                    yield CsvBlock(path, header, kept, first, min(file.tell() / size, 1.0))
                    kept, first = [], reader.line_num + 1
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8: {error.reason}") from error
    if kept:
        yield CsvBlock(path, header, kept, first, 1.0)
    elif first == 2:
        raise InputError(f"{path}: empty; expected a header and at least one row of numbers")


def _checked(row: list[str], width: int, where: str) -> list[str]:
    if len(row) != width:
        given = "is empty" if not row else f"has {len(row)} fields"
        raise InputError(f"{where} {given}; the header has {width} fields")
    return row
