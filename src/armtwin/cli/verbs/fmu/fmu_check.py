"""``armtwin fmu check``: check an FMU of any vendor."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import Json
from armtwin.cli.output import say, say_json

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

    done = check_fmu(fmu, rows=rows)
    if json:
        findings = [asdict(finding) for finding in done.findings]
        say_json({"fmu": done.path, "passed": done.passed, "findings": findings})
    else:
        for finding in done.findings:
            say(f"{finding.outcome:8}{finding.what}: {finding.detail}")
        say(f"{done.path}: {'passed' if done.passed else 'FAILED'}")
    if not done.passed:
        raise typer.Exit(1)
