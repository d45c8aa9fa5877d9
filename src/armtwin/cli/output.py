"""What verbs print: readable tables for people, JSON for other programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def say(text: str = "") -> None:
    """Print a line."""
    sys.stdout.write(text + "\n")


def say_json(value: Any) -> None:
    """Print a value as JSON; arrays become lists, numbers keep all their digits."""
    say(json.dumps(value, indent=2, default=_plain, allow_nan=False))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def say_table(heads: Sequence[str], rows: Iterable[Sequence[Any]], indent: str = "") -> None:
    """Print rows in columns: numbers to the right, text to the left."""
    cells = [[cell(value) for value in row] for row in rows]
    texts = [list(heads), *cells]
    widths = [max(len(row[k]) for row in texts) for k in range(len(heads))]
    right = [_is_numeric([row[k] for row in cells]) for k in range(len(heads))]
    for row in texts:
        padded = [
            text.rjust(width) if to_right else text.ljust(width)
            for text, width, to_right in zip(row, widths, right, strict=True)
        ]
        say(indent + "  ".join(padded).rstrip())


def cell(value: Any) -> str:
    """Return a value as a table shows it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _is_numeric(column: Sequence[str]) -> bool:
    try:
        [float(text) for text in column if text != "-"]
    except ValueError:
        return False
    return True


def known(value: float) -> float | None:
    """Return a number, or None where there is none (not a number)."""
    return None if value != value else value
