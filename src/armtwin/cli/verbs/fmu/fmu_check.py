"""``armtwin fmu check``: check an FMU of any vendor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import Json
from armtwin.cli.output import say_json, say_page
from armtwin.cli.progress_display import reporter

EXAMPLES = """
armtwin fmu check UR10e_FK.fmu
armtwin fmu check UR10e_FK.fmu --json
"""


def command(
    fmu: Annotated[Path, typer.Argument(metavar="FMU", help="The FMU, of any vendor.")],
    rows: Annotated[int, typer.Option(help="Random input rows of the comparisons.")] = 1000,
    json: Json = False,
) -> None:
    """Check an FMU: description, binaries, runs here and in FMPy, and against the Python model.

    Prints what was executed and what was only inspected. Exits with 1 when a check fails.
    """
    from armtwin.fmu.check.check import check_fmu

    done = check_fmu(fmu, rows=rows, on_progress=reporter(fmu.name))
    say_json(done.to_dict()) if json else say_page(done.page())
    if not done.passed:
        raise typer.Exit(1)
