"""``armtwin history report``: drift of an arm or of a fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import Force, Json, Pdf, Report, Serial, refuse_existing
from armtwin.cli.progress_display import show_step
from armtwin.cli.results import show_result, write_reports

if TYPE_CHECKING:
    from armtwin.history.result import ArmHistory, FleetHistory

EXAMPLES = """
armtwin history report fleet --report fleet.html
armtwin history report fleet --serial 20235501234 --pdf arm.pdf
armtwin history report s3://bucket/fleet --json
"""

Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="The history's folder, or its URI.")]


def command(
    folder: Folder,
    serial: Serial = None,
    rate: Annotated[
        float, typer.Option(metavar="R", help="False alarms per arm and year that are accepted.")
    ] = 1e-3,
    least: Annotated[
        float, typer.Option(metavar="SHARE", help="Smallest relative change that is an alarm.")
    ] = 0.02,
    report: Report = None,
    pdf: Pdf = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Report which arm and joint changed, by how much, since when, and what to do.

    Of one arm with --serial, else of all. Exits with 1 when something drifts.
    """
    from armtwin.history.history import History

    files = [path for path in (report, pdf) if path is not None]
    refuse_existing(files, force=force)
    history = History(folder, create=False)
    show_step("judging the rows")
    result: ArmHistory | FleetHistory = (
        history.fleet(rate=rate, least=least)
        if serial is None
        else history.arm(serial, rate=rate, least=least)
    )
    show_result(result, write_reports(result, files, force=force), json=json)
    if result.passed is False:
        raise typer.Exit(1)
