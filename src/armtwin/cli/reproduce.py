"""``armtwin reproduce``: a document's tables recomputed, figure by figure."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import Json
from armtwin.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from armtwin.reproduce.figure import Reproduction

EXAMPLES = """
armtwin reproduce fk-report
armtwin reproduce desktop --json
armtwin reproduce screws
armtwin reproduce observer-model
armtwin reproduce energy-model
"""


def command(
    document: Annotated[
        str, typer.Argument(help="fk-report, desktop, screws, observer-model or energy-model.")
    ],
    json: Json = False,
) -> None:
    """Recompute a published document's tables.

    Prints every figure beside ours, the difference, and the erratum where the document is wrong.
    Exits with 1 when a figure is off by more than its printed rounding and no erratum explains it.
    """
    from armtwin.reproduce.documents import reproduce

    done = reproduce(document)
    if json:
        figures = [
            {**asdict(f), "difference": f.difference, "verdict": f.verdict} for f in done.figures
        ]
        results = [{**asdict(r), "holds": r.holds} for r in done.results]
        say_json({**asdict(done), "passed": done.passed, "figures": figures, "results": results})
    else:
        _print(done)
    if not done.passed:
        raise typer.Exit(1)


def _print(done: Reproduction) -> None:
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
    say(
        f"\n{len(done.figures)} figures: {done.count('agrees')} agree, "
        f"{done.count('erratum')} explained by an erratum, {done.count('off')} off: "
        + ("reproduced" if done.passed else "NOT reproduced")
    )


def _verdict(verdict: str, erratum: str) -> str:
    return f"{verdict}: {erratum}" if erratum else verdict
