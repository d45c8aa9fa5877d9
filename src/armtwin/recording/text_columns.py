"""Columns of text cells as numbers, without PyArrow, by the rules of ``table.from_arrow``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.recording.table import NO_VALUE, NUMBER, BadCell, RawTable, table_of

_BLANKS = ' \t"\x00'
_TRUTH = {"true": 1.0, "True": 1.0, "TRUE": 1.0, "false": 0.0, "False": 0.0, "FALSE": 0.0}
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z?)?")
_NUMBER = re.compile(NUMBER)
_DECIMAL_COMMA = re.compile(r"^([+-]?\d+),(\d+)")
_ITEM = NUMBER.strip("^$").replace("(", "(?:")
_LIST = re.compile(rf"[\[({{]\s*(?:{_ITEM}\s*[,;\s]\s*)*{_ITEM}\s*[\])}}]")


def from_texts(names: list[str], columns: list[Any], origin: str) -> RawTable:
    """Return columns of numbers or of text cells as a table; text is left out and noted.

    Args:
        names: of the columns.
        columns: arrays of numbers, or lists of text cells.
        origin: the file's name.
    """
    return table_of(names, columns, origin, _add)


def _add(table: RawTable, name: str, column: NDArray[Any] | list[str]) -> bool:
    """Add one column's numbers; return False where it has none."""
    if isinstance(column, np.ndarray):
        if not np.isnan(column).all():
            table.columns[name] = column
            return True
        return False
    cells = [cell.strip(_BLANKS) for cell in column]
    filled = [None if cell in NO_VALUE else cell for cell in cells]
    some = [cell for cell in filled if cell is not None]
    if not some:
        return False
    if all(cell in _TRUTH for cell in some):
        table.columns[name] = np.array([_TRUTH.get(cell or "", np.nan) for cell in filled])
        return True
    if all(_DATE.fullmatch(cell) for cell in some):
        table.nanoseconds.add(name)
        table.columns[name] = _nanoseconds(filled)
        return True
    if any(cell.startswith(("[", "(", "{")) for cell in some):
        return _add_lists(table, name, filled, column)
    return _add_numbers(table, name, filled, column)


def _nanoseconds(cells: Sequence[str | None]) -> NDArray[Any]:
    """Return dates as nanoseconds since 1970, int64; float64 with NaN where one is missing."""
    plain = ["NaT" if cell is None else cell.removesuffix("Z") for cell in cells]
    dates = np.array(plain, dtype="datetime64[ns]")
    missing, values = np.isnat(dates), dates.astype(np.int64)
    return np.where(missing, np.nan, values) if missing.any() else values


def _add_numbers(table: RawTable, name: str, filled: list[str | None], written: list[str]) -> bool:
    """Add a column of numbers of which some are misprinted; not one with fewer than half."""
    texts = [_DECIMAL_COMMA.sub(r"\1.\2", cell) if cell else None for cell in filled]
    good = [cell is not None and bool(_NUMBER.match(cell)) for cell in texts]
    if 2 * sum(good) <= len(texts) - texts.count(None):
        return False
    table.columns[name] = np.array(
        [float(cell) if cell and ok else np.nan for cell, ok in zip(texts, good, strict=True)]
    )
    table.bad += [
        BadCell(name, row, written[row])
        for row, (cell, ok) in enumerate(zip(texts, good, strict=True))
        if cell is not None and not ok
    ]
    return True


def _add_lists(table: RawTable, name: str, filled: list[str | None], written: list[str]) -> bool:
    """Add a column of equally long lists as ``name[0]``, ``name[1]``, ...; others are bad."""
    lists = [_list(cell) for cell in filled]
    lengths = Counter(len(values) for values in lists if values)
    if not lengths:
        return False
    most = max(lengths.values())
    size = min(length for length, count in lengths.items() if count == most)
    values = np.full((len(lists), size), np.nan)
    for row, items in enumerate(lists):
        if len(items) == size:
            values[row] = items
        else:
            table.bad.append(BadCell(name, row, written[row]))
    table.columns |= {f"{name}[{index}]": values[:, index].copy() for index in range(size)}
    return True


def _list(cell: str | None) -> list[float]:
    """Return a list such as ``[1.0, 2.0]``; empty where the text is none."""
    if cell is None or not _LIST.fullmatch(cell):
        return []
    return [float(word) for word in re.split(r"[,;\s]+", cell[1:-1].strip())]
