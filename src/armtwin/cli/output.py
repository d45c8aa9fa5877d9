"""Output of verbs: tables as text, JSON for other programs."""

from __future__ import annotations

import json
import select
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from armtwin.app.server.plain_text import printable

if TYPE_CHECKING:
    from armtwin.report.page import Page


def say(text: str = "") -> None:
    """Print a line; control characters, which names in files and clients may hold, as codes."""
    sys.stdout.write(printable(text) + "\n")


def takes_lines(stream: TextIO) -> bool:
    """Return whether a line can be written without waiting for the reader of the stream.

    A pipe that is not read and a terminal stopped with Ctrl-S take none. A stream without a
    file descriptor, or one the system cannot ask, takes them always.
    """
    try:
        return bool(select.select([], [stream.fileno()], [], 0)[1])
    except (OSError, ValueError):
        return True


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
    """Print rows in columns, numbers with six significant digits.

    Args:
        heads: one head per column.
        rows: cells; None is printed as a hyphen.
        indent: start of every line.
    """
    from armtwin.report.renderers.text import table_lines

    for line in table_lines(heads, list(rows), digits=6, indent=indent):
        say(line)


def say_page(page: Page) -> None:
    """Print a result's page as text."""
    from armtwin.report.renderers.text import text

    sys.stdout.write(printable(text(page)))


def known(value: float) -> float | None:
    """Return a number, or None for NaN, which JSON does not have."""
    return None if value != value else value
