"""Plain CSV files in and out, read and written by the compiled code."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.fmu.run.grid import TIME_NAMES, Grid, zeros
from armtwin.fmu.run.host import host_library

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator

DELIMITERS = ",;\t|"
ROWS = 2_000
"""Rows that are formatted at a time: bounds the text buffer, changes no result."""
CELL = 28
"""The most characters of a number and its delimiter."""


def read_csv_grid(path: Path) -> Grid | None:
    """Return a CSV file as a table, or None where it is not a plain one.

    Plain: a header of distinct names with a time among them, and in every cell a finite number,
    with a comma for the decimal point where the delimiter is a semicolon. The general reader
    reads everything else and reports errors.
    """
    try:
        text = path.read_bytes()
        head, _, _ = text.partition(b"\n")
        line = head.decode("utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        return None
    delimiter = max(DELIMITERS, key=line.count)
    names = [name.strip().strip('"').strip() for name in line.split(delimiter)]
    times = [i for i, name in enumerate(names) if name.lower() in TIME_NAMES]
    if not times or len(set(names)) != len(names) or "" in names or b"\n" not in text:
        return None
    for decimal in ".," if delimiter == ";" else ".":
        found = _numbers(text, len(head) + 1, delimiter + decimal, len(names), times[0])
        if found is not None:
            del names[times[0]]
            return Grid(tuple(names), *found)
    return None


def _numbers(
    text: bytes, begin: int, marks: str, width: int, time: int
) -> tuple[array[float], array[float]] | None:
    """Return the time column and the others, or None where a cell holds no number."""
    lines = text.count(b"\n") + 1
    times, data = zeros(lines), zeros(lines * (width - 1))
    function = host_library().library.host_read_csv
    function.restype = ctypes.c_long
    start = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value or 0
    numbers = map(ctypes.c_long, (len(text) - begin, *map(ord, marks), width, time, lines))
    places = (ctypes.c_void_p(x.buffer_info()[0]) for x in (times, data))
    rows = function(ctypes.c_void_p(start + begin), *numbers, *places)
    if rows <= 0:
        return None
    del times[rows:], data[rows * (width - 1) :]
    return times, data


def csv_parts(
    names: list[str], time: array[float], values: array[float], ahead: list[int]
) -> Iterator[bytes | memoryview]:
    """Yield a CSV file's parts: time and columns; column c starts ``ahead[c]`` rows later.

    Each part must be used before the next is requested.

    Args:
        names: of the columns.
        time: of the rows (n,) [s].
        values: row by row, (n + 1) rows of as many values as names.
        ahead: per column, how many rows later its first value stands: 0 or 1.
    """
    yield (",".join(["time", *names]) + "\n").encode()
    function = host_library().library.host_write_csv
    function.restype = ctypes.c_long
    width, pointer = len(names), ctypes.c_void_p
    room = ctypes.create_string_buffer(min(ROWS, len(time)) * (width + 1) * CELL)
    places = (pointer(time.buffer_info()[0]), pointer(values.buffer_info()[0]))
    flags = bytes(ahead)
    for begin in range(0, len(time), ROWS):
        ends = (ctypes.c_long(begin), ctypes.c_long(min(begin + ROWS, len(time))))
        size = function(*places, ctypes.c_long(width), flags, *ends, room)
        yield memoryview(room)[:size]
