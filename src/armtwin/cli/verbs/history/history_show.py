"""``armtwin history show``: rows of a history, or the answer to a query of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import Json, Serial
from armtwin.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from armtwin.history.row import HistoryRow

EXAMPLES = """
armtwin history show fleet
armtwin history show fleet --serial 20235501234 --last 30
armtwin history show fleet --sql "SELECT serial, max(tool_error) FROM rows GROUP BY serial"
"""

Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="The history's folder, or its URI.")]


def command(
    folder: Folder,
    serial: Serial = None,
    last: Annotated[int, typer.Option(min=1, help="Number of rows to show, the newest.")] = 20,
    sql: Annotated[
        str | None, typer.Option(help="DuckDB's SQL over the table rows (docs/history.md).")
    ] = None,
    json: Json = False,
) -> None:
    """Show the newest rows of a history, or the answer to a query of all."""
    from armtwin.history.history import History

    history = History(folder, create=False)
    if sql is not None:
        table = history.query(sql)
        rows = table.to_pylist()
        if json:
            say_json([{k: _json(v) for k, v in row.items()} for row in rows])
        else:
            say_table(table.column_names, [[_cell(v) for v in row.values()] for row in rows])
        return
    found = history.table(serial, most=last)
    if json:
        say_json([row.to_dict() for row in found])
        return
    heads = ("serial", "arm", "recorded (UTC)", "kind", "degC", "tool mm", "friction", "energy J",
             "contacts")  # fmt: skip
    say_table(heads, [_line(row) for row in found])
    say(f"{len(found)} of {len(history)} rows")


def _line(row: HistoryRow) -> list[object]:
    """Return a row's cells for a terminal."""
    friction = row.friction and " ".join("-" if x is None else f"{x:.3g}" for x in row.friction)
    warm = [x for x in row.temperature or () if x is not None]
    return [
        row.serial, row.arm, f"{row.recorded:%Y-%m-%d %H:%M}", row.kind,
        f"{max(warm):.0f}" if warm else None,
        None if row.tool_error is None else 1e3 * row.tool_error, friction, row.energy,
        row.contacts,
    ]  # fmt: skip


def _json(value: object) -> object:
    return value.isoformat() if hasattr(value, "isoformat") else value


def _cell(value: object) -> object:
    return str(value) if isinstance(value, list) or hasattr(value, "isoformat") else value
