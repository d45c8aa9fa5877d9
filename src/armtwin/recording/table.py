"""A file's columns as read: numbers under the file's own names, with faulty cells counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import RecordingError
from armtwin.report.numbers import counted

if TYPE_CHECKING:
    import pyarrow as pa

EXACT = 2**53
"""Whole numbers up to this are exact in float64."""
MAX_CELLS = 400_000_000
"""Numbers in one table, 3.2 GB: 80 minutes at 500 Hz with 170 columns."""
NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
NO_VALUE = ["", "nan", "NaN", "NAN", "-nan", "null", "NULL", "None", "NA", "N/A", "#N/A", "-"]


@dataclass(frozen=True)
class BadCell:
    """A cell that holds no number in a column of numbers; rows count from 0."""

    column: str
    row: int
    text: str

    def __str__(self) -> str:
        """Return the place and the text of the cell."""
        return f"{self.text!r} in column {self.column!r}, row {self.row + 1}"


@dataclass
class RawTable:
    """Columns of a file, before anything is renamed, converted or checked.

    Attributes:
        origin: the file's name.
        columns: float64 or (for large whole numbers) int64, NaN where a cell is empty.
        nanoseconds: columns that were dates and are now nanoseconds since 1970.
        bad: cells without a number in columns of numbers.
        notes: what was left out or repaired.
        metadata: what the file says about itself (arm, origin, units, notes).
        joints: names of the joints in the file's order, where it gives any.
        text: names of the columns that hold no numbers.
        exact: armtwin saved the file, and its metadata names every column.
    """

    origin: str
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    nanoseconds: set[str] = field(default_factory=set)
    bad: list[BadCell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    joints: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    exact: bool = False

    @property
    def rows(self) -> int:
        """Number of rows."""
        return next((values.size for values in self.columns.values()), 0)

    def take(self, kept: NDArray[Any]) -> None:
        """Keep only some rows."""
        self.columns = {name: values[kept] for name, values in self.columns.items()}


def require_cells(count: int, origin: str) -> None:
    """Raise RecordingError where a table has more numbers than are read into memory."""
    if count > MAX_CELLS:
        raise RecordingError(
            f"{origin} has {count:,} numbers; {MAX_CELLS:,} are read at most: cut it into parts, "
            "or leave out columns"
        )


def from_arrow(names: list[str], columns: list[pa.ChunkedArray], origin: str) -> RawTable:
    """Return Arrow columns as numbers; text is left out and noted.

    Args:
        names: of the columns.
        columns: their values; the list is emptied, so that each column is held only once.
        origin: the file's name.
    """
    import pyarrow as pa

    def add(table: RawTable, name: str, column: pa.ChunkedArray) -> bool:
        pa.default_memory_pool().release_unused()
        return _add(table, name, column)

    return table_of(names, columns, origin, add)


def table_of(
    names: list[str], columns: list[Any], origin: str, add: Callable[[RawTable, str, Any], bool]
) -> RawTable:
    """Return columns as numbers; text is left out and noted.

    Args:
        names: of the columns.
        columns: their values; the list is emptied, so that each column is held only once.
        origin: the file's name.
        add: adds one column's numbers to the table, or returns False where it has none.

    Raises:
        RecordingError: no column has numbers.
    """
    table = RawTable(origin)
    columns.reverse()
    for name in _distinct(names, table):
        if not add(table, name, columns.pop()):
            table.text += (name,)
    if table.text:
        count = counted(len(table.text), "column")
        table.notes.append(f"left out {count} without numbers: {', '.join(table.text[:6])}")
    if not table.columns:
        raise RecordingError(
            f"{origin} has no column of numbers; its columns are {', '.join(names)}"
        )
    return table


def _distinct(names: list[str], table: RawTable) -> list[str]:
    seen: dict[str, int] = {}
    out = []
    for number, name in enumerate(names, 1):
        plain = name.strip().strip('"\ufeff').strip() or f"column {number}"
        seen[plain] = seen.get(plain, 0) + 1
        out.append(plain if seen[plain] == 1 else f"{plain}_{seen[plain]}")
        if seen[plain] > 1:
            table.notes.append(f"column name {plain!r} occurs again: the later is {out[-1]!r}")
    return out


def _add(table: RawTable, name: str, column: pa.ChunkedArray) -> bool:
    """Add one column's numbers; return False where it has none."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind) or column.null_count == len(column):
        return False
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        table.nanoseconds.add(name)
        table.columns[name] = _numbers(column.cast(pa.timestamp("ns")).cast(pa.int64()))
        return True
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _add_text(table, name, column)
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return _add_lists(table, name, column)
    if pa.types.is_decimal(kind) or pa.types.is_boolean(kind):
        column = column.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return False
    table.columns[name] = _numbers(column)
    return True


def _numbers(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a numeric column as float64; whole numbers too large for that stay int64."""
    values = column.to_numpy()
    if values.dtype.kind in "iu" and values.size and np.abs(values).max() > EXACT:
        return values.astype(np.int64)
    return np.asarray(values, dtype=np.float64)


def _add_text(table: RawTable, name: str, column: pa.ChunkedArray) -> bool:
    """Add a column of text: bracketed lists, or numbers of which some are misprinted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim(column, characters=' \t"\x00')
    filled = pc.if_else(pc.is_in(text, value_set=pa.array(NO_VALUE)), None, text)
    if pc.any(pc.match_substring_regex(filled, r"^[\[({]")).as_py():
        return _add_lists(table, name, _as_lists(filled), column)
    filled = pc.replace_substring_regex(filled, r"^([+-]?\d+),(\d+)", r"\1.\2")
    good = pc.fill_null(pc.match_substring_regex(filled, NUMBER), fill_value=False)
    count = pc.sum(good).as_py() or 0
    if 2 * count <= len(column) - filled.null_count:
        return False
    bad = np.flatnonzero(~good.to_numpy() & filled.is_valid().to_numpy())
    table.bad += [BadCell(name, int(row), str(column[row])) for row in bad]
    table.columns[name] = _numbers(pc.if_else(good, filled, None).cast(pa.float64()))
    return True


def _as_lists(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts such as ``[1.0, 2.0]`` as lists; one that is cut short becomes empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    number = NUMBER.strip("^$").replace("(", "(?:")
    whole = rf"^[\[({{]\s*(?:{number}\s*[,;\s]\s*)*{number}\s*[\])}}]$"
    good = pc.match_substring_regex(text, whole)
    inner = pc.utf8_trim(pc.if_else(good, text, None), characters="[](){} \t\r\n")
    words = pc.split_pattern_regex(inner, r"\s*[,;]\s*|\s+")
    return words.cast(pa.list_(pa.float64()))


def _add_lists(
    table: RawTable, name: str, column: pa.ChunkedArray, written: pa.ChunkedArray | None = None
) -> bool:
    """Add a column of equally long lists as ``name[0]``, ``name[1]``, ...; others are bad."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column)
    common = pc.mode(lengths.drop_null())
    size = common[0]["mode"].as_py() if len(common) else 0
    whole = pc.fill_null(pc.equal(lengths, size), fill_value=False).to_numpy()
    if size == 0 or not pa.types.is_floating(column.type.value_type):
        return False
    values = np.full((len(column), size), np.nan)
    kept = column.filter(pa.array(whole))
    values[whole] = pc.list_flatten(kept).to_numpy().reshape(-1, size)
    text = column if written is None else written
    table.bad += [BadCell(name, int(row), str(text[row])) for row in np.flatnonzero(~whole)]
    table.columns |= {f"{name}[{index}]": values[:, index].copy() for index in range(size)}
    return True
