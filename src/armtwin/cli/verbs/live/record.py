"""``armtwin record``: a robot's samples into a file, safe against crashes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import Force, Json, Serial
from armtwin.cli.output import say, say_json
from armtwin.cli.screen import (
    Screen,
    for_seconds,
    joint_table,
    network_line,
    network_summary,
)

if TYPE_CHECKING:
    from armtwin.robots.ur.protocol.client import Batch
    from armtwin.robots.ur.protocol.stream import Stream
    from armtwin.robots.ur.recorder import Recorder

EXAMPLES = """
armtwin record 192.168.0.10 --seconds 60 --out run.parquet
armtwin record 127.0.0.2 --seconds 10 --out run.parquet --rate 125
armtwin record 127.0.0.2 --out run.parquet --fields actual_q,actual_qd,actual_current
"""


def command(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The robot's address.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The Parquet file to write.")],
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Duration; until Ctrl-C if not given.")
    ] = None,
    fields: Annotated[
        str | None, typer.Option(help="RTDE fields to record, as in actual_q,actual_qd.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Samples per second; the robot's top rate if not given.")
    ] = None,
    arm: Annotated[str | None, typer.Option(help="The arm's name, for the file.")] = None,
    serial: Serial = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Record a robot over RTDE; reading only, nothing moves.

    Every sample is on disk as soon as it comes: after a crash FILE.rows holds all that came, and
    every verb that takes a recording reads it.
    """
    from armtwin.robots.ur.protocol.stream import Stream
    from armtwin.robots.ur.recorder import FIELDS, OPTIONAL, Recorder

    chosen = fields.replace(",", " ").split() if fields else FIELDS
    stream = Stream(host, chosen, optional=() if fields else OPTIONAL, rate=rate)
    made = Recorder(out, origin=f"RTDE {host}", arm=arm, serial=serial, force=force)
    with made as recorder:
        asyncio.run(_record(stream, recorder, seconds, shown=not json))
        file = recorder.finish(*stream.events, _lost(stream))
    rows = recorder.rows
    if json:
        say_json({"out": file, "rows": rows, **network_summary(stream.statistics)})
        return
    say(f"{rows} rows written to {file}")
    say(network_line(stream.statistics))
    for event in stream.events:
        say(f"note: {event}")


async def _record(stream: Stream, recorder: Recorder, seconds: float | None, shown: bool) -> None:
    """Record until the time is over or Ctrl-C."""
    with Screen(shown=shown) as screen:
        async for batch in for_seconds(stream, seconds):
            recorder.add(batch)
            if screen.due:
                screen.show(_picture(stream, recorder, batch))


def _picture(stream: Stream, recorder: Recorder, batch: Batch) -> Any:
    from rich.console import Group

    row = batch.rows[-1]
    known = {
        "q rad": "actual_q", "qd rad/s": "actual_qd", "A": "actual_current",
        "degC": "joint_temperatures",
    }  # fmt: skip
    heads = {head: name for head, name in known.items() if name in (row.dtype.names or ())}
    lines = [[f"{row[name][k]:9.4f}" for name in heads.values()] for k in range(6)]
    title = f"recording {stream.host}: {recorder.rows} rows"
    return Group(joint_table(title, list(heads), lines), network_line(stream.statistics))


def _lost(stream: Stream) -> str:
    s = stream.statistics
    return (
        f"recorded over RTDE: {s.received} samples came, {s.missing} are missing "
        f"({100 * s.share:.2f} % of those due by the wall clock came): {s.missed} in {s.gaps} gaps "
        f"and {s.outage:.1f} s of outages"
    )
