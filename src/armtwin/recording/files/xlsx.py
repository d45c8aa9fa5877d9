"""Tables in spreadsheets (XLSX, XLS, ODS): the first sheet that has rows.

A spreadsheet of a few kilobytes can make its reader request any amount of memory: with two cells
far apart, many cells that share a long text, repeated rows. The reader then aborts its process. So
it runs in a process with a memory limit, ``python -m armtwin.recording.files.xlsx FILE BYTES``,
which sends the columns of numbers as an Arrow stream, and the rest or an error in its metadata.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.errors import RecordingError
from armtwin.extras import require
from armtwin.processes import limit_memory, module_command
from armtwin.recording.files.archive import verify_spreadsheet
from armtwin.recording.table import BadCell, RawTable, from_arrow

if TYPE_CHECKING:
    import pyarrow as pa

MIN_MEMORY, MAX_MEMORY = 2_000_000_000, 5_000_000_000
MEMORY_RATIO = 40
"""Limits of what reading a spreadsheet allocates: any, every, and times the file's size [bytes].
A table of 100,000 x 30 random numbers (29 MB) takes 0.3 GB; other cells up to 80 bytes each."""
MAX_ABOUT = 10_000_000
"""Size of all that is sent beside the numbers: names, notes, cells without a number [bytes]."""
ENVIRONMENT = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1", "RUST_BACKTRACE": "0"}
"""Of the reader's process: Arrow's own pool would reserve 1 GB, and threads their stacks."""
OUT_OF_MEMORY = ("memory allocation", "MemoryError")
"""Words in the error output of a process that got no more memory, from Rust and from Python."""


def read_xlsx(path: Path) -> RawTable:
    """Return the table of a spreadsheet's first sheet with rows.

    Raises:
        RecordingError: no spreadsheet, no sheet with a header and rows, or one that takes more
            memory than the limit or is beyond the limits of ``archive``.
    """
    require("reading a spreadsheet", "fastexcel", "pyarrow")
    import pyarrow as pa

    size = path.stat().st_size
    if not size:
        raise RecordingError(f"{path.name} is empty (0 bytes); give a spreadsheet with rows")
    if zipfile.is_zipfile(path):
        verify_spreadsheet(path)
    limit = min(max(MEMORY_RATIO * size, MIN_MEMORY), MAX_MEMORY)
    done = subprocess.run(
        module_command("armtwin.recording.files.xlsx", str(path), str(limit)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    if done.returncode:
        raise _failure(path, limit, done)
    return _received(pa.ipc.open_stream(done.stdout).read_all(), path.name)


def _failure(path: Path, limit: int, done: subprocess.CompletedProcess[bytes]) -> RecordingError:
    errors = done.stderr.decode("utf-8", "replace").strip()
    if any(word in errors for word in OUT_OF_MEMORY):
        return RecordingError(
            f"reading {path.name} takes more than {limit:,} bytes of memory: its cells are too "
            "many, far apart, or share a long text; delete stray cells, or save the table as CSV "
            "or Parquet"
        )
    last = errors.splitlines()[-1][:300] if errors else "no error output"
    return RecordingError(
        f"{path.name} cannot be read as a spreadsheet: its reader ended with {done.returncode} "
        f"({last}); save it again as .xlsx or .csv"
    )


def _received(arrow: pa.Table, origin: str) -> RawTable:
    """Return the table that ``main`` sent.

    Raises:
        RecordingError: it sent an error.
    """
    about = json.loads(arrow.schema.metadata[b"about"])
    if "error" in about:
        raise RecordingError(about["error"])
    return RawTable(
        origin,
        {name: arrow.column(name).to_numpy() for name in arrow.column_names},
        nanoseconds=set(about["nanoseconds"]),
        bad=[BadCell(*cell) for cell in about["bad"]],
        notes=about["notes"],
        text=tuple(about["text"]),
    )


def main(path: str, limit: str) -> None:
    """Send the table of a spreadsheet to the standard output.

    Args:
        path: the file.
        limit: of this process's memory [bytes].
    """
    limit_memory(int(limit))
    import pyarrow as pa

    columns = {}
    try:
        table = _first_table(Path(path))
        columns, about = table.columns, _about(table)
    except RecordingError as error:
        about = json.dumps({"error": str(error)})
    arrow = pa.table(columns).replace_schema_metadata({"about": about})
    with pa.ipc.new_stream(sys.stdout.buffer, arrow.schema) as stream:
        stream.write_table(arrow)


def _first_table(path: Path) -> RawTable:
    """Return the table of the first sheet with rows, read in this process."""
    import fastexcel
    import pyarrow as pa

    try:
        book = fastexcel.read_excel(path)
        for name in book.sheet_names:
            sheet = book.load_sheet(name, schema_sample_rows=None, whitespace_as_null=True)
            if sheet.width > 1 and sheet.height > 0:
                arrow = pa.Table.from_batches([sheet.to_arrow()])
                table = from_arrow(arrow.column_names, arrow.columns, path.name)
                _note_sheets(table, name, book.sheet_names)
                return table
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise RecordingError(
            f"{path.name} cannot be read as a spreadsheet: {reason}; save it again as .xlsx or .csv"
        ) from error
    raise RecordingError(
        f"{path.name} has no sheet with a header and rows; its sheets are {book.sheet_names}"
    )


def _note_sheets(table: RawTable, taken: str, names: list[str]) -> None:
    others = [name for name in names if name != taken]
    if others:
        table.notes.append(f"took sheet {taken!r}, left out {', '.join(map(repr, others[:5]))}")


def _about(table: RawTable) -> str:
    """Return what a table holds beside its numbers as JSON."""
    text = json.dumps(
        {
            "nanoseconds": sorted(table.nanoseconds),
            "bad": [(cell.column, cell.row, cell.text) for cell in table.bad],
            "notes": table.notes,
            "text": table.text,
        }
    )
    size = len(text) + sum(map(len, table.columns))
    if size > MAX_ABOUT:
        raise RecordingError(
            f"{table.origin} has {size:,} characters in names and cells without a number; "
            f"{MAX_ABOUT:,} at most: shorten its header, or remove the cells"
        )
    return text


if __name__ == "__main__":
    main(*sys.argv[1:])
