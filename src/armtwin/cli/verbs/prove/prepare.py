"""``armtwin prepare``: prepare a raw recording as input and report every step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import Force, Json
from armtwin.cli.output import say, say_json
from armtwin.cli.progress import reporter

if TYPE_CHECKING:
    from armtwin.recording.columns.mapping import Mapping
    from armtwin.recording.preparation.prepare import Prepared

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
        str, typer.Option(help="Between rows: auto, cubic, pchip or linear.")
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
    from armtwin.recording.read import guess_mapping

    if deg and rad:
        raise typer.BadParameter("--deg and --rad exclude each other")
    angles = "deg" if deg else "rad" if rad else None
    rules = guess_mapping(raw, arm, mapping=mapping, angles=angles)
    if not json:
        say(f"{rules}\n")
    prepared = prepare(
        raw, arm=arm, mapping=rules, rate=rate, gaps=gaps, method=method, run=run,
        on_progress=reporter(raw.name),
    )  # fmt: skip
    chosen = () if columns == "all" else tuple(columns.replace(",", " ").split())
    if out is not None:
        prepared.save(out, chosen, force=force)
    _say_json(prepared, rules, out) if json else _say(prepared, out)


def _say(prepared: Prepared, out: Path | None) -> None:
    for number, step in enumerate(prepared.steps, 1):
        say(f"{number:2d}  {step}")
    recording = prepared.recording
    done = f"written to {out}" if out else "not written (no --out)"
    say(f"\n{len(recording)} rows, {recording.duration:g} s at {recording.rate:g} Hz: {done}")


def _say_json(prepared: Prepared, rules: Mapping, out: Path | None) -> None:
    recording = prepared.recording
    say_json(
        {
            "out": out,
            "rows": len(recording),
            "rate": recording.rate,
            "duration": recording.duration,
            "columns": {name: recording.units[name] for name in recording.columns},
            "mapping": [
                {"from": rule.source, "to": rule.target, "unit": rule.unit, "factor": rule.factor,
                 "why": rule.reason} for rule in rules.rules
            ],
            "steps": [{"name": s.name, "what": s.what, "count": s.count} for s in prepared.steps],
            "errors": [{"group": e.group, "unit": e.unit, "rms": e.rms, "max": e.worst}
                       for e in prepared.errors],
            "left_out_errors": [{"group": e.group, "unit": e.unit, "rms": e.rms, "max": e.worst}
                                for e in prepared.bounds],
        }
    )  # fmt: skip
