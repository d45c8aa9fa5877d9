"""Writing recordings: Parquet with its metadata inside, CSV with a JSON file beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.recording.files.saved import KEY, TIME, beside, csv_header

if TYPE_CHECKING:
    import pyarrow as pa

    from armtwin.recording.recording import Recording

ENDINGS = (".parquet", ".csv")


def save(recording: Recording, path: Path, *, force: bool = False) -> Path:
    """Write a recording and return the path.

    A CSV file holds only ``time,q1,...`` and numbers, which every tool reads; arm, origin, units
    and processing notes are in ``NAME.csv.json`` beside it.

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
    write_output(beside(path), json.dumps(about, indent=1).encode(), force=True)
    return path


def metadata(recording: Recording) -> dict[str, Any]:
    """Return the metadata of a recording; ``files.saved`` reads it."""
    return {
        "columns": list(recording.columns),
        "arm": recording.arm,
        "origin": recording.origin,
        "timed": recording.timed,
        "units": dict(recording.units),
        "account": list(recording.account),
    }


def csv_bytes(recording: Recording) -> bytes:
    """Return the recording as CSV: comma, point, one header line, full precision."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    sink = pa.BufferOutputStream()
    sink.write(csv_header((TIME, *recording.columns)))
    arrow_csv.write_csv(_arrow(recording), sink, arrow_csv.WriteOptions(include_header=False))
    return bytes(sink.getvalue())


def _parquet_bytes(recording: Recording) -> bytes:
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
