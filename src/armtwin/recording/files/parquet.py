"""Tables in Parquet files; those that armtwin saved carry arm, origin, units and notes."""

from __future__ import annotations

from pathlib import Path

from armtwin.errors import RecordingError
from armtwin.extras import require
from armtwin.recording.files.saved import parquet_metadata, saved_parquet
from armtwin.recording.table import RawTable, from_arrow, require_cells


def read_parquet(path: Path) -> RawTable:
    """Return the table of a Parquet file, with the metadata that armtwin wrote into it."""
    require("reading a Parquet file", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as arrow_parquet

    try:
        about = arrow_parquet.read_metadata(path)
        require_cells(about.num_rows * about.num_columns, path.name)
        arrow = arrow_parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise RecordingError(
            f"{path.name} cannot be read as a Parquet file: {error}; save it again"
        ) from error
    if not arrow.num_rows:
        raise RecordingError(f"{path.name} has no rows; its columns are {arrow.column_names}")
    saved = saved_parquet(path, arrow)
    if saved is not None:
        return saved
    table = from_arrow(arrow.column_names, arrow.columns, path.name)
    table.metadata = parquet_metadata(arrow)
    return table
