"""A page as plain text for a terminal: facts, tables, notes and the verdict; no charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from armtwin.report.page import Facts, Page, Part, Section, Table, Text
from armtwin.report.renderers.cells import cell, is_numeric


def text(page: Page) -> str:
    """Return a page as lines of text, without its detail sections."""
    blocks = [page.title if not page.subtitle else f"{page.title}: {page.subtitle}"]
    blocks += [page.finding] if page.finding else []
    blocks += _facts(page.facts)
    for section in page.sections:
        if not section.detail:
            blocks += _section(section)
    if page.verdict is not None:
        blocks.append(f"{page.verdict.word}: {page.verdict.text}")
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> Iterator[str]:
    blocks = [block for part in section.parts for block in _part(part)]
    if blocks:
        yield section.title
        yield from blocks


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Text):
        lead = {"plain": "", "note": "note: ", "warning": "warning: "}[part.tone]
        yield lead + part.text
    elif isinstance(part, Facts):
        yield from _facts(part.rows)
    elif isinstance(part, Table) and part.rows:
        lines = table_lines(part.heads, part.rows)
        yield "\n".join([*([part.caption] if part.caption else []), *lines])


def _facts(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    if rows:
        width = max(len(name) for name, _ in rows)
        yield "\n".join(f"{name.ljust(width)}  {value}" for name, value in rows)


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[Any]], *, digits: int = 4, indent: str = ""
) -> list[str]:
    """Return a table's lines: numbers aligned to the right, text to the left.

    Args:
        heads: one head per column.
        rows: cells; None, NaN and infinity are written as an ASCII hyphen, which every
            terminal can show.
        digits: significant digits of numbers.
        indent: what every line starts with.
    """
    columns = list(zip(*rows, strict=True)) or [()] * len(heads)
    right = [is_numeric(column) for column in columns]
    texts = [list(heads), *[[cell(value, digits, missing="-") for value in row] for row in rows]]
    widths = [max(len(row[k]) for row in texts) for k in range(len(heads))]
    return [
        indent
        + "  ".join(
            part.rjust(width) if to_right else part.ljust(width)
            for part, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in texts
    ]
