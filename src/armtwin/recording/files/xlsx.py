"""Tables in spreadsheets: the first sheet that has rows."""

from __future__ import annotations

import zipfile
from pathlib import Path

from armtwin.errors import RecordingError
from armtwin.extras import require
from armtwin.recording.files.archive import verify_spreadsheet
from armtwin.recording.table import RawTable, from_arrow


def read_xlsx(path: Path) -> RawTable:
    """Return the table of a spreadsheet's first sheet with rows.

    Raises:
        RecordingError: no spreadsheet, no sheet with a header and rows, or one beyond the limits
            of ``archive``.
    """
    require("reading a spreadsheet", "fastexcel", "pyarrow")
    import fastexcel
    import pyarrow as pa

    if not path.stat().st_size:
        raise RecordingError(f"{path.name} is empty (0 bytes); give a spreadsheet with rows")
    if zipfile.is_zipfile(path):
        verify_spreadsheet(path)
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
