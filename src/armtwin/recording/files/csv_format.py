"""Layout of a table in a text file: delimiter, decimal mark, header."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from armtwin.errors import RecordingError
from armtwin.recording.table import NO_VALUE
from armtwin.units import is_unit

DELIMITERS = ("\t", ";", ",", " ")
SAMPLE_LINES = 40
"""Lines from which delimiter, decimal mark and header are inferred."""
_QUOTED = re.compile(r'"[^"]*"')
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class CsvLayout:
    """Layout of a table in a text file.

    Attributes:
        delimiter: one character.
        decimal: "." or ",".
        names: the header, or ``column 1``, ... where the file has none.
        skip: physical lines before the first row of numbers.
        padded: whether several blanks stand where one delimits.
        kinds: for every column "float", "int" (more digits than a float holds) or "" (other).
    """

    delimiter: str
    decimal: str
    names: tuple[str, ...]
    skip: int
    padded: bool = False
    kinds: tuple[str, ...] = ()


def sniff(text: str, origin: str) -> CsvLayout:
    """Return the layout of a file that begins with ``text`` (whole lines).

    Raises:
        RecordingError: no delimiter separates two columns.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines()) if line.strip(" \t\0")]
    lines = lines[:SAMPLE_LINES]
    content = [line for _, line in lines if not line.lstrip().startswith(("#", "%"))] or [""]
    delimiter, width = _delimiter(content, origin)
    _refuse_commas_twice(content[0], delimiter, width, origin)
    start = next(k for k, (_, line) in enumerate(lines) if _width(line, delimiter) == width)
    number, header = lines[start]
    rows = [fields(line, delimiter) for _, line in lines[start + 1 :]]
    names = clean_names(fields(header, delimiter))
    skip = number + 1
    if rows and _are_units(rows[0], names):
        pairs = zip(names, rows.pop(0), strict=True)
        names = [f"{name} [{unit.strip('[]()')}]" if unit else name for name, unit in pairs]
        skip = lines[start + 1][0] + 1
    if all(_is_value(name) for name in names):
        names, skip = [f"column {k}" for k in range(1, width + 1)], number
    names += [""] * (max((len(row) for row in rows[:1]), default=width) - width)
    padded = delimiter == " " and any("  " in line or line != line.strip(" ") for line in content)
    kinds = tuple(_kind([row[k] for row in rows if len(row) > k]) for k in range(len(names)))
    return CsvLayout(delimiter, _decimal(rows, delimiter), tuple(names), skip, padded, kinds)


def _are_units(row: list[str], names: list[str]) -> bool:
    """Return whether the row below the header holds the columns' units."""
    units = [cell.strip("[]()") for cell in row if cell]
    return len(row) == len(names) and bool(units) and all(is_unit(unit) for unit in units)


def _refuse_commas_twice(header: str, delimiter: str, width: int, origin: str) -> None:
    """Raise RecordingError where commas are both the decimal mark and the delimiter."""
    names = fields(header, delimiter)
    if delimiter == "," and width == 2 * len(names) and not any(map(_is_value, names)):
        raise RecordingError(
            f"{origin}: its header has {len(names)} columns, its rows {width}: with commas both "
            "as decimal marks and between columns it cannot be read for certain; write it with "
            "semicolons between columns, or with decimal points"
        )


def header_layout(text: str) -> CsvLayout:
    """Return the layout of a file whose first line that is no comment names the columns.

    Nothing else is guessed from the rows but the decimal mark: a row of another width is a fault.
    """
    lines = text.splitlines()
    number = next((k for k, line in enumerate(lines) if not _is_comment(line)), 0)
    header = lines[number] if lines else ""
    delimiter = max((",", *DELIMITERS), key=lambda mark: len(fields(header.strip(), mark)))
    rows = [fields(line, delimiter) for line in lines[number + 1 :][:SAMPLE_LINES]]
    names = tuple(clean_names(fields(header, delimiter)))
    padded = delimiter == " " and any("  " in line or line != line.strip(" ") for line in lines)
    return CsvLayout(delimiter, _decimal(rows, delimiter), names, number + 1, padded)


def _is_comment(line: str) -> bool:
    return not line.strip(" \t\0") or line.lstrip().startswith(("#", "%"))


def fields(line: str, delimiter: str) -> list[str]:
    """Return a line's fields; delimiters inside quotes do not count."""
    guarded = _QUOTED.sub(lambda quoted: quoted[0].replace(delimiter, "\x1f"), line)
    parts = guarded.split() if delimiter == " " else guarded.split(delimiter)
    return [part.replace("\x1f", delimiter).strip(' "\0') for part in parts]


def _width(line: str, delimiter: str) -> int:
    return len(fields(line, delimiter))


def _delimiter(lines: list[str], origin: str) -> tuple[str, int]:
    """Return the delimiter that cuts most lines into equally many fields, and how many."""
    best = (0.0, 1, "")
    for delimiter in DELIMITERS:
        widths = Counter(_width(line, delimiter) for line in lines)
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
        if width > 1:
            best = max(best, (count / len(lines), width, delimiter), key=lambda item: item[:1])
    if not best[2]:
        raise RecordingError(
            f"{origin} has no columns that comma, semicolon, tab or blank separates; "
            f"its first line is {lines[0][:80]!r}"
        )
    return best[2], _header_width(lines, best[2], best[1])


def _header_width(lines: list[str], delimiter: str, width: int) -> int:
    """Return the width of the header, which may lack the empty field that ends each row."""
    first = _width(lines[0], delimiter)
    return first if first == width - 1 and first > 1 else width


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = [cell for row in rows for cell in row]
    commas = sum(bool(_DECIMAL_COMMA.fullmatch(cell)) for cell in cells)
    points = sum(bool(_NUMBER.fullmatch(cell)) and "." in cell for cell in cells)
    return "," if commas > points else "."


def _is_value(text: str) -> bool:
    return text in NO_VALUE or bool(_NUMBER.fullmatch(text))


def _kind(cells: list[str]) -> str:
    filled = [cell for cell in cells if cell not in NO_VALUE]
    if not filled or not all(_NUMBER.fullmatch(cell) for cell in filled):
        return ""
    return "int" if all(cell.isdigit() and len(cell) > 15 for cell in filled) else "float"


def clean_names(names: list[str]) -> list[str]:
    """Return headers without quotes, marks of a byte order, and surrounding space."""
    return [re.sub(r'^[\s"\ufeff#%]+|[\s"]+$', "", name) for name in names]
