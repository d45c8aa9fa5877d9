"""``armtwin validate``: compare the twin with a recording of the real arm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import (
    ArmName,
    Force,
    Json,
    Mapping,
    Pdf,
    Report,
    ViewFile,
    refuse_existing,
)
from armtwin.cli.output import say, say_json
from armtwin.cli.progress_display import reporter, show_step
from armtwin.cli.results import write_reports, write_view

if TYPE_CHECKING:
    from armtwin.validation.result import Check

EXAMPLES = """
armtwin validate ur10e run.csv
armtwin validate ur10e run.csv --limit position=1mm --limit angle=0.1deg
armtwin validate ur3e run.xlsx --fit-tool --report report.html --pdf report.pdf
armtwin validate ur10e run.csv --report report.html --view twin.html
armtwin validate ur3e run.csv --calibration my_robot.yaml --json
"""

RecordingFile = Annotated[
    Path,
    typer.Argument(metavar="RECORDING", help="CSV (also .gz), XLSX, Parquet, .db3 or .mcap."),
]
Limits = Annotated[
    list[str] | None,
    typer.Option(help="Limit, such as position=1mm, angle.max=0.2deg, tau.r2=0.9, lag=0.5."),
]
RemoveLag = Annotated[
    bool, typer.Option("--remove-lag", help="Shift the twin by the lag before judging.")
]
FactoryCalibration = Annotated[
    Path | None, typer.Option(metavar="YAML", help="Apply the robot's factory calibration.")
]


def command(
    arm: ArmName,
    recording: RecordingFile,
    limit: Limits = None,
    fit_tool: Annotated[bool, typer.Option("--fit-tool", help="Fit a constant tool.")] = False,
    fit_base: Annotated[bool, typer.Option("--fit-base", help="Fit a constant base.")] = False,
    remove_lag: RemoveLag = False,
    calibration: FactoryCalibration = None,
    mapping: Mapping = None,
    deg: Annotated[bool, typer.Option("--deg", help="Angles are in degrees.")] = False,
    rad: Annotated[bool, typer.Option("--rad", help="Angles are in radians.")] = False,
    run: Annotated[
        float | None, typer.Option(help="Which run, where the file holds several.")
    ] = None,
    pose_only: Annotated[
        bool, typer.Option("--pose-only", help="Leave torques, currents and power out.")
    ] = False,
    report: Report = None,
    pdf: Pdf = None,
    view: ViewFile = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Run the twin on recorded joints and compare everything that both sides have.

    Exits with 1 when a limit is broken or nothing could be judged. Limits not given are those of
    the forward-kinematics report: position MAE 4.5 mm, RMSE 6.2 mm, max 13 mm; quaternion MAE
    0.012, RMSE 0.019, max 0.042.
    """
    from armtwin.validation.options import ValidateOptions
    from armtwin.validation.validate import validate

    if deg and rad:
        raise typer.BadParameter("--deg and --rad exclude each other")
    refuse_existing([path for path in (report, pdf, view) if path], force=force)
    options = ValidateOptions(
        limits=tuple(limit or ()),
        fit_tool=fit_tool,
        fit_base=fit_base,
        remove_lag=remove_lag,
        calibration=calibration,
        efforts=not pose_only,
    )
    angles = "deg" if deg else "rad" if rad else None
    show_step(f"comparing {recording}")
    check = validate(
        arm, recording, mapping=mapping, angles=angles, run=run, options=options,
        on_progress=reporter(recording.name),
    )  # fmt: skip
    pages = write_view(check, view, force=force)
    files = write_reports(check, [p for p in (report, pdf) if p], force=force, view=view)
    _show(check, [*files, *pages], json=json)
    if not check.passed:
        raise typer.Exit(1)


def _show(check: Check, files: list[Path], *, json: bool) -> None:
    """Print the page, or its data with the files that were written."""
    from armtwin.report.renderers.text import text

    show_step("")
    if json:
        say_json({**check.to_dict(), "reports": files})
    else:
        say(text(check.page()).rstrip())
