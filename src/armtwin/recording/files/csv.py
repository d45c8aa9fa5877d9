"""Tables in text files: any delimiter, decimal comma, gzip, cut and ragged lines.

PyArrow reads them where it is installed: as fast as polars, with half of its memory and a third of
its start-up (``python -m benchmarks.recordings`` measures it). ``plain_csv`` reads them without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.errors import RecordingError
from armtwin.extras import installed
from armtwin.recording.files.csv_format import CsvLayout, sniff
from armtwin.recording.files.plain_csv import read_rows
from armtwin.recording.files.text_source import (
    Source,
    arrow_stream,
    find_source,
    is_gzip,
    sample,
    single_blanks,
    unpacked,
    without_last_line,
)
from armtwin.recording.table import NO_VALUE, RawTable, from_arrow
from armtwin.recording.text_columns import from_texts
from armtwin.report.numbers import counted

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 20
"""Text that PyArrow parses at a time [bytes]; a line must fit into it."""
MAX_RAGGED = 0.2
"""Share of lines; a file with more ragged ones is no table."""


def read_csv(path: Path) -> RawTable:
    """Return the table of a text file; lines that are cut are left out and counted.

    Raises:
        RecordingError: the file is empty, is no table, or too many of its lines are ragged.
    """
    source = find_source(path)
    notes: list[str] = []
    try:
        table = _read(source, path.name)
    except OSError:
        if not is_gzip(path):
            raise
        table = _read(unpacked(path, notes), path.name)
    table.notes[:0] = notes
    return table


def _read(source: Source, origin: str) -> RawTable:
    layout = sniff(sample(source, origin), origin)
    if layout.padded:
        source = single_blanks(source)
    read = _read_arrow if installed("pyarrow") else _read_plain
    table = read(source, layout, origin)
    _drop_cut_last_row(table)
    return table


def _read_arrow(source: Source, layout: CsvLayout, origin: str) -> RawTable:
    ragged: list[Any] = []
    arrow, cut = _parse(source, layout, ragged, origin)
    _check_rows(ragged, arrow.num_rows, layout, origin)
    columns = arrow.columns
    del arrow
    table = from_arrow(list(layout.names), columns, origin)
    _note_layout(table, layout, len(ragged) + cut)
    return table


def _read_plain(source: Source, layout: CsvLayout, origin: str) -> RawTable:
    columns, ragged = read_rows(source, layout, origin)
    _check_rows(ragged, len(columns[0]), layout, origin)
    table = from_texts(list(layout.names), columns, origin)
    _note_layout(table, layout, len(ragged))
    return table


def _parse(
    source: Source, layout: CsvLayout, ragged: list[Any], origin: str
) -> tuple[pa.Table, int]:
    """Return the rows, and how many cut ones were left out to get them.

    First as the first lines promise, which is fast and lean; then leaving out ragged lines; then
    with columns of text where numbers were expected; then without the last line.
    """
    import pyarrow as pa

    for patience in range(4):
        cut = int(patience == 3)
        try:
            rest = without_last_line(source) if cut else source
            return _parse_rows(rest, layout, ragged, patience), cut
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            fault = error
    if "Empty CSV" in str(fault):
        raise no_rows(layout, origin)
    raise RecordingError(f"{origin} cannot be read as a table: {fault}") from fault


def no_rows(layout: CsvLayout, origin: str) -> RecordingError:
    """Return the error of a file that has a header only."""
    names = ", ".join(layout.names)
    return RecordingError(f"{origin} has a header but no rows; its columns are {names}")


def _parse_rows(source: Source, layout: CsvLayout, ragged: list[Any], patience: int) -> pa.Table:
    """Parse the rows; patience 0 takes no ragged line, 1 no text in numbers, 2 takes both."""
    import pyarrow as pa

    def skip(row: Any) -> str:
        ragged.append(row)
        return "skip"

    ragged.clear()
    arrow = parse(source, layout, typed=patience < 2, on_ragged=skip if patience else None)
    if pa.binary() in arrow.schema.types:
        raise pa.ArrowInvalid("bytes that are no UTF-8")
    return arrow


def parse(
    source: Source,
    layout: CsvLayout,
    *,
    offset: int = 0,
    typed: bool = True,
    on_ragged: Callable[[Any], str] | None = None,
) -> pa.Table:
    """Return the rows of a source, its columns named "0", "1", ...

    Args:
        source: a file, or its bytes.
        layout: how the text writes its table.
        offset: where the table begins in the source [bytes].
        typed: take numbers where the layout says so; False takes what Arrow infers.
        on_ragged: as in ``_arrow_options``.

    Raises:
        pyarrow.ArrowInvalid: a line or a cell that is not as the layout says.
    """
    import pyarrow.csv as arrow_csv

    options = _arrow_options(layout, _types(layout) if typed else None, on_ragged=on_ragged)
    with arrow_stream(source, offset) as stream:
        return arrow_csv.read_csv(stream, **options)


def _arrow_options(
    layout: CsvLayout,
    types: dict[str, pa.DataType] | None,
    *,
    on_ragged: Callable[[Any], str] | None = None,
) -> dict[str, Any]:
    """Return the options with which Arrow reads text of a layout.

    Line numbers of ragged lines need a single thread, and their text an encoding in which every
    byte is a character (latin-1).

    Args:
        layout: how the text writes its table.
        types: types of the columns "0", "1", ...; others, or all if None, are inferred.
        on_ragged: gets a line with another number of fields, and returns "skip" or "error";
            without it such a line is an error without its number.
    """
    import pyarrow.csv as arrow_csv

    return {
        "read_options": arrow_csv.ReadOptions(
            use_threads=on_ragged is None,
            block_size=BLOCK,
            skip_rows=layout.skip,
            column_names=[str(number) for number in range(len(layout.names))],
            encoding="utf8" if on_ragged is None else "latin-1",
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=layout.delimiter,
            invalid_row_handler=on_ragged,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=types,
            decimal_point=layout.decimal,
            null_values=NO_VALUE,
            strings_can_be_null=True,
        ),
    }


def _types(layout: CsvLayout) -> dict[str, pa.DataType]:
    import pyarrow as pa

    types = {"float": pa.float64(), "int": pa.int64()}
    return {str(number): types[kind] for number, kind in enumerate(layout.kinds) if kind}


def _check_rows(ragged: Sequence[Any], rows: int, layout: CsvLayout, origin: str) -> None:
    """Raise RecordingError where there is no row, or too many lines are ragged."""
    if rows == 0:
        raise no_rows(layout, origin)
    if len(ragged) <= max(1, MAX_RAGGED * rows):
        return
    first = ragged[0]
    raise RecordingError(
        f"{origin}: {len(ragged)} of {rows + len(ragged)} lines do not have the header's "
        f"{len(layout.names)} fields (delimiter {layout.delimiter!r}); the first, line "
        f"{first.number}, has {first.actual_columns}: {first.text[:60]!r}"
    )


def _note_layout(table: RawTable, layout: CsvLayout, cut: int) -> None:
    if layout.decimal == ",":
        table.notes.append("decimal commas read as points")
    if layout.names[0] == "column 1":
        table.notes.append("no header: columns are called 'column 1', 'column 2', ...")
    if cut:
        table.notes.append(f"left out {counted(cut, 'line')} cut short or ragged")


def _drop_cut_last_row(table: RawTable) -> None:
    """Leave out the last row where a cell of it is no number: writing stopped there."""
    last = table.rows - 1
    if last > 0 and any(cell.row == last for cell in table.bad):
        table.bad = [cell for cell in table.bad if cell.row != last]
        table.take(np.arange(last))
        table.notes.append("left out the last line, which is cut")
