"""Columns by their place in a file: ``q = columns 2-7``, for tables without a header.

One line maps a table: ``time = column 1 ms; q = columns 2-7 deg; tau = columns 8-13``. A group
(``q``, ``tau``, ``position``) takes as many columns as it has joints or parts; a unit may follow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from armtwin.errors import RecordingError
from armtwin.recording.columns.names import TARGET, VECTORS

_RANGE = re.compile(r"columns?\s+(\d+)(?:\s*(?:-|\.\.|to)\s*(\d+))?", re.IGNORECASE)
_LINE = re.compile(r"\s*([\w{}]+)\s*=\s*(.+?)\s*")
EXAMPLE = "time = column 1; q = columns 2-7; tau = columns 8-13"


def place(source: str) -> tuple[int, int] | None:
    """Return the first and last place (from 1) of ``columns 2-7``; None for a plain name."""
    match = _RANGE.fullmatch(source.strip())
    if match is None:
        return None
    first, last = int(match[1]), int(match[2] or match[1])
    if first < 1 or last < first:
        raise RecordingError(f"{source!r}: columns count from 1, and the first comes first")
    return first, last


def pairs(target: str, source: str, headers: Sequence[str], name: str) -> list[tuple[str, str]]:
    """Return the file's columns at some places with the columns that they become.

    Args:
        target: a column (``time``, ``q3``) or a group (``q``, ``position``).
        source: as in ``columns 2-7``.
        headers: the file's columns.
        name: of the mapping, for messages.

    Raises:
        RecordingError: the file has a header, or too few columns; a single column for several.
    """
    first, last = place(source) or (1, 1)
    wanted = [f"column {k}" for k in range(first, last + 1)]
    missing = [column for column in wanted if column not in headers]
    if missing:
        raise RecordingError(
            f"mapping {name}: {target} = {source!r}, but the file has no {missing[0]!r}: places "
            f"are for tables without a header; its columns are {', '.join(headers)}"
        )
    return list(zip(_targets(target, len(wanted), name), wanted, strict=True))


def _targets(target: str, count: int, name: str) -> list[str]:
    """Return the columns of a group, as many as are given."""
    bare = target.removeprefix(TARGET)
    prefix = target[: len(target) - len(bare)]
    parts = VECTORS.get(bare)
    if parts is not None:
        if len(parts) != count:
            raise RecordingError(
                f"mapping {name}: {target} has {len(parts)} columns ({', '.join(parts)}), "
                f"not {count}"
            )
        return [prefix + part for part in parts]
    if count > 1 or (bare.isalpha() and bare != "time" and _is_group(bare)):
        return [f"{target}{number}" for number in range(1, count + 1)]
    return [target]


def _is_group(bare: str) -> bool:
    from armtwin.recording.columns.names import JOINT_UNITS

    return bare in JOINT_UNITS


def is_line(text: str) -> bool:
    """Return whether a text is a mapping itself and not the name of one."""
    return "=" in text


def parsed_line(text: str) -> dict[str, Any]:
    """Return the content of a mapping that is written in one line, as that of its TOML file.

    Raises:
        RecordingError: a part that is not ``name = column``.
    """
    columns: dict[str, Any] = {}
    for part in filter(str.strip, re.split(r"[;\n]", text)):
        match = _LINE.fullmatch(part)
        if match is None:
            raise RecordingError(
                f"mapping {part.strip()!r} is no 'name = column'; as in {EXAMPLE!r}"
            )
        columns[match[1]] = _with_unit(match[2].strip("'\""))
    return {"columns": columns}


def _with_unit(source: str) -> str | dict[str, str]:
    """Return a source, or with a unit after its places: ``columns 2-7 deg``."""
    match = re.fullmatch(rf"({_RANGE.pattern})\s+(\S+)", source, re.IGNORECASE)
    return source if match is None else {"from": match[1], "unit": match[4]}
