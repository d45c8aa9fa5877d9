"""``armtwin reproduce``: a document's tables recomputed, figure by figure."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import Force, Json
from armtwin.cli.output import say, say_json, say_table
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.reproduce.figure import Basis, Reproduction

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
    """Recompute a published document's tables.

    ``fmu-report`` also writes everything on the way to a folder: the recording made ready (58 s
    at 500 Hz are made up where none is given), the FMU, its outputs, the report as HTML and PDF.
    ``energy`` identifies the UR5e of the electro-mechanical document from simulated tests and, with
    --out, writes its tables and figures as HTML. ``observer`` pushes the UR10e of the observer
    document on its circle in simulation and, with --out, writes Figures 3 to 5 as HTML and PDF.

    Prints every figure beside ours, the difference, and the erratum where the document is wrong.
    Exits with 1 when a figure is off by more than its printed rounding and no erratum explains it.
    """
    from armtwin.reproduce.documents import reproduce
    from armtwin.reproduce.figure import BASES

    files: dict[str, Path] = {}
    if document == "fmu-report":
        from armtwin.reproduce.fk_fmu.fmu_report import make_fmu_report

        made = make_fmu_report(out or Path("reports/fmu"), recording=recording, force=force)
        done, files = made.reproduction, made.files
    elif document == "energy" and recording is None:
        from armtwin.reproduce.energy.document import make_energy

        found, files = make_energy(out, force=force)
        done = found.reproduction
    elif document == "observer" and recording is None:
        from armtwin.reproduce.observer.figures import make_observer

        pushed, files = make_observer(out, force=force)
        done = pushed.reproduction
    elif out is not None or recording is not None:
        raise InputError(
            "--out belongs to fmu-report, energy and observer, --recording to fmu-report"
        )
    else:
        done = reproduce(document)
    if json:
        figures = [
            {**asdict(f), "difference": f.difference, "verdict": f.verdict} for f in done.figures
        ]
        results = [{**asdict(r), "holds": r.holds} for r in done.results]
        counts = {basis: len(done.of(basis)) for basis in BASES}
        facts = {
            "passed": done.passed,
            "counts": counts,
            "figures": figures,
            "results": results,
            "files": files,
        }
        say_json({**asdict(done), **facts})
    else:
        _print(done)
        for role, file in files.items():
            say(f"  {role}: {file}")
    if not done.passed:
        raise typer.Exit(1)


def _print(done: Reproduction) -> None:
    from armtwin.reproduce.figure import BASES

    say(done.document + "\n")
    rows = [
        (
            f.place,
            f.name,
            f"{f.printed:.9g}",
            f"{f.ours:.9g}",
            f"{f.difference:.1e}",
            _verdict(f.verdict, f.erratum),
        )
        for f in done.figures
    ]
    say_table(("where", "figure", "document", "ours", "difference", "verdict"), rows)
    if done.results:
        say("\nwhat follows beyond the printed figures")
        say_table(
            ("", "value", "", "bound"),
            [
                (r.name, r.value, r.unit, r.bound if r.holds else f"{r.bound} BROKEN")
                for r in done.results
            ],
            indent="  ",
        )
    say("\ncorrections and what cannot be reproduced")
    for note in done.notes:
        say(f"  {note}")
    say("")
    for basis, meaning in BASES.items():
        if done.of(basis):
            say(f"{len(done.of(basis))} {basis} ({meaning}): {_counts(done, basis)}")
    say(
        f"{len(done.figures)} figures: {_counts(done)}: "
        + ("reproduced" if done.passed else "NOT reproduced")
    )


def _counts(done: Reproduction, basis: Basis | None = None) -> str:
    return (
        f"{done.count('agrees', basis)} agree, {done.count('erratum', basis)} explained by an "
        f"erratum, {done.count('off', basis)} off"
    )


def _verdict(verdict: str, erratum: str) -> str:
    return f"{verdict}: {erratum}" if erratum else verdict
