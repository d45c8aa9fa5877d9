"""``armtwin compensate``: correct the joint targets of a program for a calibrated arm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import Force, Json, Mapping, Pdf, Report, refuse_existing
from armtwin.cli.results import show_result, show_step, write_reports

EXAMPLES = """
armtwin compensate program.csv --arm my_ur10.toml --out corrected.csv
armtwin compensate program.csv --arm cell_7.toml --nominal ur10 --out corrected.csv --json
"""

Program = Annotated[Path, typer.Argument(metavar="PROGRAM", help="Joint targets q1 ... qn.")]
Calibrated = Annotated[
    str, typer.Option("--arm", metavar="ARM", help="The calibrated arm, from armtwin calibrate.")
]
Nominal = Annotated[
    str | None,
    typer.Option(metavar="ARM", help="The arm that the program was made for; by the arm's name."),
]
Corrected = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the corrected program (.csv, .parquet)."),
]


def command(
    program: Program,
    arm: Calibrated,
    nominal: Nominal = None,
    mapping: Mapping = None,
    out: Corrected = None,
    report: Report = None,
    pdf: Pdf = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Correct joint targets, so that the calibrated arm reaches the nominal poses.

    For every row the joints are found at which the flange of the calibrated arm (lengths, angles,
    compliance, error curves) is where that of the nominal arm would be. Targets outside the angles
    that an error curve was measured at are named.
    """
    from armtwin.calibration.compensate import compensate

    reports = [path for path in (report, pdf) if path]
    refuse_existing([path for path in (out, *reports) if path], force=force)
    found = compensate(program, arm, nominal=nominal, mapping=mapping, on_progress=show_step)
    files = [] if out is None else [found.corrected.save(out, force=force)]
    show_result(found, [*files, *write_reports(found, reports, force=force)], json=json)
