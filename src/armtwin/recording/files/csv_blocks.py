"""CSV files read in blocks of any total size, with every fault named by line and column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.errors import InputError
from armtwin.recording.files.csv import arrow_options, no_rows
from armtwin.recording.files.csv_format import CsvLayout, header_layout
from armtwin.recording.files.text_source import find_source, opened, sample, single_blanks

if TYPE_CHECKING:
    import pyarrow as pa

    from armtwin.spatial import Array

ROWS = 20_000


@dataclass(frozen=True)
class CsvBlock:
    """Some rows of a file as text.

    Attributes:
        path: the file.
        layout: how it writes its table; ``header`` has the names in lower case.
        rows: the cells, a column of text per name.
        first_line: line of the file that the first row stands in, from 1.
        done: share of the file read so far, 0 to 1.
    """

    path: Path
    layout: CsvLayout
    rows: pa.RecordBatch
    first_line: int
    done: float

    @property
    def header(self) -> list[str]:
        """Names of the columns, in lower case."""
        return [name.lower() for name in self.layout.names]

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(self.rows.num_rows)

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
        import pyarrow as pa

        texts = [self._text(column) for column in columns]
        try:
            return np.column_stack([text.cast(pa.float64()).to_numpy() for text in texts])
        except pa.ArrowInvalid:
            raise self._fault(columns, texts) from None

    def _text(self, column: int) -> pa.Array:
        import pyarrow.compute as pc

        text = pc.utf8_trim_whitespace(self.rows.column(column))
        if self.layout.decimal == ",":
            text = pc.replace_substring(text, ",", ".", max_replacements=1)
        return text

    def _fault(self, columns: list[int], texts: list[pa.Array]) -> InputError:
        """Return the error that names the first cell, by line, that is no number."""
        rows = zip(*(text.to_pylist() for text in texts), strict=True)
        for line, row in enumerate(rows, self.first_line):
            where = f"{self.path}: line {line}"
            if not any(row):
                return InputError(f"{where} is empty; the header has {len(self.header)} fields")
            for column, text in zip(columns, row, strict=True):
                if not _is_number(text):
                    return InputError(
                        f"{where}, column {self.header[column]}: {text!r} is not a number "
                        "(such as 1.5 or -2e-3)"
                    )
        return InputError(f"{self.path}: line {self.first_line} and later: no table of numbers")


def _is_number(text: str) -> bool:
    import pyarrow as pa

    try:
        pa.scalar(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def blocks(path: Path, *, rows: int = ROWS) -> Iterator[CsvBlock]:
    """Yield the rows of a CSV file with a header, at most ``rows`` of them at a time.

    Raises:
        InputError: no such file, or a row longer or shorter than the header.
        RecordingError: no header or no rows.
    """
    import pyarrow as pa

    if not path.is_file():
        raise InputError(f"{path}: no such file")
    source, ragged = find_source(path), list[Any]()
    layout = header_layout(sample(source, path.name))
    source = single_blanks(source) if layout.padded else source
    line = layout.skip + 1
    try:
        for batch, done in _batches(path, source, layout, ragged):
            for start in range(0, batch.num_rows, rows):
                part = batch.slice(start, rows)
                yield CsvBlock(path, layout, part, line, done)
                line += part.num_rows
    except pa.ArrowInvalid as error:
        if not ragged:
            raise InputError(f"{path}: cannot be read as a table: {error}") from error
        found = ragged[0]
        raise InputError(
            f"{path}: line {found.number} has {found.actual_columns} fields; "
            f"the header has {len(layout.names)} fields"
        ) from None
    if line == layout.skip + 1:
        raise no_rows(layout, path.name)


def _batches(
    path: Path, source: Path | bytes, layout: CsvLayout, ragged: list[Any]
) -> Iterator[tuple[pa.RecordBatch, float]]:
    """Yield the file's rows as text with the share read so far; note a ragged line and stop."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    def stop(row: Any) -> str:
        ragged.append(row)
        return "error"

    types = {str(number): pa.string() for number in range(len(layout.names))}
    options = arrow_options(layout, types, on_ragged=stop, as_text=True)
    size = len(source) if isinstance(source, bytes) else path.stat().st_size
    with opened(source) as stream, arrow_csv.open_csv(stream, **options) as reader:
        for batch in reader:
            yield batch, min(stream.tell() / size, 1.0)
