"""``armtwin reproduce``: recompute the tables of a published document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import Force, Json
from armtwin.cli.output import say, say_json, say_page

EXAMPLES = """
armtwin reproduce fk-report
armtwin reproduce validation
armtwin reproduce desktop --json
armtwin reproduce screws
armtwin reproduce observer-model
armtwin reproduce observer --out reports/observer
armtwin reproduce energy-model
armtwin reproduce energy --out reports/energy
armtwin reproduce fmu-report --out reports/fmu
armtwin reproduce fmu-report --recording run.csv --out reports/mine
"""


def command(
    document: Annotated[
        str,
        typer.Argument(
            help="fk-report, validation, desktop, screws, observer-model, observer, energy-model, "
            "energy, fmu-report."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="fmu-report, energy, observer: where files go."
        ),
    ] = None,
    recording: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="fmu-report: a log with joints and tool pose."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Recompute the tables of a published document.

    fmu-report also writes its files to a folder: the prepared recording (58 s at 500 Hz are made
    up where none is given), the FMU, its outputs, the report as HTML and PDF. energy identifies the
    UR5e of Clochiatti et al. from simulated tests and, with --out, writes its tables and figures as
    HTML. observer pushes the UR10e of T. V. M. Hieu on its circle in simulation and, with --out,
    writes Figures 3 to 5 as HTML and PDF.

    Prints every figure beside ours, the difference, and the erratum where the document is wrong.
    Exits with 1 when a figure is off by more than its printed rounding and no erratum explains it.
    """
    from armtwin.reproduce.documents import reproduce

    done = reproduce(document, out=out, recording=recording, force=force)
    if json:
        say_json(done.to_dict())
    else:
        for role, file in done.files.items():
            say(f"{role}: {file}")
        say_page(done.page())
    if not done.passed:
        raise typer.Exit(1)
