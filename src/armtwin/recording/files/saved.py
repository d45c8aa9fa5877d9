"""Files that armtwin saves, and their exact reading: nothing is guessed.

Parquet files have the metadata inside, CSV files in a JSON file beside them.

``Recording.save`` writes the names of the columns into the metadata (``columns``). A file whose
columns are those is *exact*: names, units, values and notes come back as they were saved. Files
with metadata but without that list (recordings of a connected robot, files of older versions) keep
their names and units, and are cleaned like any other file.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError
from armtwin.extras import installed, require
from armtwin.files import write_output
from armtwin.recording.columns.mapping import Mapping, Rule
from armtwin.recording.columns.names import unit_of
from armtwin.recording.files.csv import parse
from armtwin.recording.files.csv_format import CsvLayout
from armtwin.recording.files.plain_csv import read_rows
from armtwin.recording.table import RawTable

if TYPE_CHECKING:
    import pyarrow as pa

    from armtwin.recording.recording import Recording

KEY = b"armtwin"
"""Key of the metadata in a Parquet file's schema."""
TIME = "time"
SAVED = "saved by armtwin"
ENDINGS = (".parquet", ".csv")
"""Files that a recording is saved as."""


def csv_header(names: Sequence[str]) -> bytes:
    """Return the first line of a CSV file; names with commas, quotes or line breaks are quoted."""
    return (",".join(_quoted(name) for name in names) + "\n").encode()


def _quoted(name: str) -> str:
    needs_quotes = any(mark in name for mark in ',"\r\n') or name != name.strip()
    return '"' + name.replace('"', '""') + '"' if needs_quotes else name


def metadata_path(path: Path) -> Path:
    """Return the path of a CSV file's metadata."""
    return path.with_name(path.name + ".json")


def read_beside(path: Path) -> dict[str, Any]:
    """Return a CSV file's metadata; empty if there is none or the CSV has changed since."""
    try:
        about = json.loads(metadata_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    is_ours = isinstance(about, dict) and about.get("bytes") == path.stat().st_size
    return about if is_ours else {}


def read_saved_csv(path: Path) -> RawTable | None:
    """Return the table of a CSV file that armtwin saved, or None for any other file.

    None also where the header is not the one in the metadata, or a cell is no number: the general
    reader then says what is wrong.
    """
    about = read_beside(path)
    names = _names(about)
    if names is None:
        return None
    header = csv_header(names)
    with path.open("rb") as file:
        if file.read(len(header)) != header:
            return None
    layout = CsvLayout(",", ".", tuple(names), skip=0, kinds=("float",) * len(names))
    columns = _csv_columns(path, layout, len(header))
    return None if columns is None else _table(path, about, names, columns)


def _csv_columns(path: Path, layout: CsvLayout, offset: int) -> list[NDArray[Any]] | None:
    """Return the columns of a table of numbers; None where a cell is none."""
    if not installed("pyarrow"):
        columns, ragged = read_rows(path, layout, path.name, offset)
        numbers = [column for column in columns if isinstance(column, np.ndarray)]
        return None if ragged or len(numbers) < len(columns) else numbers
    import pyarrow as pa

    try:
        return [column.to_numpy() for column in parse(path, layout, offset=offset).columns]
    except pa.ArrowInvalid:
        return None


def saved_parquet(path: Path, arrow: pa.Table) -> RawTable | None:
    """Return the table of a Parquet file that armtwin saved, or None for any other."""
    import pyarrow as pa

    about = parquet_metadata(arrow)
    names = _names(about)
    is_exact = names == arrow.column_names and set(arrow.schema.types) == {pa.float64()}
    if not names or not is_exact:
        return None
    return _table(path, about, names, [column.to_numpy() for column in arrow.columns])


def parquet_metadata(arrow: pa.Table) -> dict[str, Any]:
    """Return the metadata that armtwin wrote into a Parquet file; empty for other files."""
    try:
        about = json.loads((arrow.schema.metadata or {}).get(KEY, b"{}"))
    except ValueError:
        return {}
    return about if isinstance(about, dict) else {}


def _names(about: Dict[str, Any]) -> list[str] | None:
    """Return the columns that the metadata lists, time first; None if it lists none."""
    columns, units = about.get("columns"), about.get("units")
    if not isinstance(columns, list) or not isinstance(units, dict) or TIME in columns:
        return None
    return [TIME, *map(str, columns)]


def _table(
    path: Path, about: dict[str, Any], names: list[str], columns: list[NDArray[Any]]
) -> RawTable:
    values = [np.array(column, dtype=np.float64) for column in columns]
    named = dict(zip(names, values, strict=True))
    return RawTable(path.name, named, metadata=about, exact=True)


def saved_mapping(table: RawTable, given: Mapping | None = None) -> Mapping:
    """Return the mapping of a file with armtwin's metadata: every column under its own name.

    Args:
        table: the file's columns, with metadata.
        given: rules of the user's own; they come first.
    """
    start = given or Mapping(())
    units, timed = table.metadata["units"], bool(table.metadata.get("timed", True)) and start.timed
    sources = {rule.source for rule in start.rules} | set(start.dropped)
    targets = {rule.target for rule in start.rules}
    dropped = start.dropped if timed or TIME in sources else (*start.dropped, TIME)
    names = [name for name in table.columns if name not in sources and name not in dropped]
    own = [
        Rule(name, name, unit, SAVED)
        for name in names
        if (unit := unit_of(name)) and units.get(name, unit) == unit and name not in targets
    ]
    kept = set(names) - {rule.source for rule in own}
    return dataclasses.replace(
        start,
        rules=(*start.rules, *own),
        kept=tuple(name for name in names if name in kept),
        dropped=dropped,
        timed=timed and (TIME in targets or TIME in table.columns),
        exact=table.exact and given is None,
    )


def save(recording: Recording, path: Path, *, force: bool = False) -> Path:
    """Write a recording and return the path.

    A CSV file holds only ``time,q1,...`` and numbers, which every tool reads; arm, origin, units
    and processing notes are in ``NAME.csv.json`` beside it.

    Args:
        recording: what to write.
        path: the file, .parquet or .csv.
        force: overwrite an existing file.

    Raises:
        InputError: an ending other than .parquet and .csv, or a path that cannot be written.
        OutputExistsError: the file exists and ``force`` is not set.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"cannot save a recording as {path.name!r}; end it in .parquet or .csv")
    if path.suffix.lower() == ".parquet":
        write_output(path, _parquet_bytes(recording), force=force)
        return path
    data = csv_bytes(recording)
    write_output(path, data, force=force)
    about = {"bytes": len(data), **metadata(recording)}
    write_output(metadata_path(path), json.dumps(about, indent=1).encode(), force=True)
    return path


def metadata(recording: Recording) -> dict[str, Any]:
    """Return the metadata of a recording."""
    return {
        "columns": list(recording.columns),
        "arm": recording.arm,
        "origin": recording.origin,
        "timed": recording.timed,
        "units": dict(recording.units),
        "notes": list(recording.notes),
        "serial": recording.serial,
        "started": recording.started,
    }


def csv_bytes(recording: Recording, texts: Dict[str, NDArray[Any]] | None = None) -> bytes:
    """Return the recording as CSV: comma, point, one header line, full precision.

    Args:
        recording: what to write.
        texts: more columns by name, with a text a row (n,); readers leave them out.
    """
    columns = {TIME: recording.time, **recording.data, **(texts or {})}
    return csv_header(list(columns)) + csv_rows(list(columns.values()))


def csv_rows(columns: Sequence[NDArray[Any]]) -> bytes:
    """Return the lines of a CSV file; numbers read back exactly, NaN is an empty cell."""
    if not installed("pyarrow"):
        texts = [_cells(column) for column in columns]
        return "".join(",".join(row) + "\n" for row in zip(*texts, strict=True)).encode()
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    arrays = [pa.array(column, from_pandas=True) for column in columns]
    table = pa.table(arrays, names=[str(number) for number in range(len(arrays))])
    sink = pa.BufferOutputStream()
    arrow_csv.write_csv(table, sink, arrow_csv.WriteOptions(include_header=False))
    return bytes(sink.getvalue())


def _cells(column: NDArray[Any]) -> list[str]:
    """Return a column as the cells of a CSV file."""
    if column.dtype == object:
        return [_quoted(text) for text in column]
    numbers = column.astype(np.float64).tolist()
    return ["" if x != x else repr(x).removesuffix(".0") for x in numbers]


def _parquet_bytes(recording: Recording) -> bytes:
    require("a Parquet file (a CSV file does without)", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as arrow_parquet

    sink = pa.BufferOutputStream()
    text = json.dumps(metadata(recording)).encode()
    table = _arrow(recording).replace_schema_metadata({KEY: text})
    arrow_parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def _arrow(recording: Recording) -> pa.Table:
    import pyarrow as pa

    columns = {TIME: recording.time, **recording.data}
    arrays = {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    return pa.table(arrays)
