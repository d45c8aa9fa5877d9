"""``armtwin prepare``: prepare a raw recording as input and report every step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import Force, Json
from armtwin.cli.output import say, say_json, say_page
from armtwin.cli.progress_display import reporter

EXAMPLES = """
armtwin prepare raw.csv --out inputs.csv
armtwin prepare bag.db3 --arm ur10e --out inputs.csv --columns q,qd,tau
armtwin prepare raw.csv --rate 500 --mapping current-as-tau --out run.parquet --columns all
"""


def command(
    raw: Annotated[
        Path, typer.Argument(metavar="RAW", help="CSV (also .gz), XLSX, Parquet, .db3 or .mcap.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write here (.csv, .parquet); else only show."),
    ] = None,
    arm: Annotated[str | None, typer.Option(help="The arm, for the order of its joints.")] = None,
    mapping: Annotated[
        str | None, typer.Option(help="TOML file that names the columns, or a dialect's name.")
    ] = None,
    deg: Annotated[bool, typer.Option("--deg", help="Angles are in degrees.")] = False,
    rad: Annotated[bool, typer.Option("--rad", help="Angles are in radians.")] = False,
    rate: Annotated[
        float | None,
        typer.Option(help="Rows per second [500]; also the step of rows with bunched stamps."),
    ] = None,
    gaps: Annotated[
        str, typer.Option(help="Empty cells: interpolate them, or remove their rows.")
    ] = "interpolate",
    method: Annotated[
        str, typer.Option(help="Interpolation: auto, cubic, pchip or linear.")
    ] = "auto",
    columns: Annotated[str, typer.Option(help="Groups to write, as in q,qd,tau; or all.")] = "q",
    run: Annotated[
        float | None, typer.Option(help="Which run, where the file holds several.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Prepare a recording: SI units, even clock from zero, no gaps; every step is reported."""
    from armtwin.recording.preparation.prepare import prepare

    if deg and rad:
        raise typer.BadParameter("--deg and --rad exclude each other")
    angles = "deg" if deg else "rad" if rad else None
    prepared = prepare(
        raw, arm=arm, mapping=mapping, angles=angles, rate=rate, gaps=gaps, method=method, run=run,
        on_progress=reporter(raw.name),
    )  # fmt: skip
    chosen = () if columns == "all" else tuple(columns.replace(",", " ").split())
    if out is not None:
        prepared.save(out, chosen, force=force)
    if json:
        say_json({"out": out, **prepared.to_dict()})
        return
    say_page(prepared.page())
    say(f"\nwritten to {out}" if out else "\nnot written (no --out)")
