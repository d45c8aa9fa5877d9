"""``armtwin uncertainty``: the tool's error that the uncertainty of a calibration leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import (
    ArmName,
    Device,
    Force,
    Json,
    Mapping,
    Pdf,
    Report,
    Seed,
    refuse_existing,
    whole,
)
from armtwin.cli.results import show_result, show_step, write_reports

EXAMPLES = """
armtwin uncertainty ur10 poses.csv --report uncertainty.html
armtwin uncertainty ur10 monday.csv tuesday.csv --draws 1e6 --poses 100 --pdf uncertainty.pdf
armtwin uncertainty desktop5 points.csv --parameters offsets --json
"""

Recordings = Annotated[
    list[Path], typer.Argument(metavar="RECORDING...", help="Joints with measured poses.")
]
Draws = Annotated[float, typer.Option(metavar="COUNT", help="Number of possible arms.")]
Poses = Annotated[int, typer.Option(metavar="COUNT", help="Random poses within the joint limits.")]
Cell = Annotated[
    float | None,
    typer.Option(metavar="M", help="Edge of the map's cells [m]; a tenth of the longest side."),
]
Parameters = Annotated[
    str, typer.Option(help="Set of parameters that is fitted, as for armtwin calibrate.")
]


def command(
    arm: ArmName,
    recordings: Recordings,
    draws: Draws = 2000,
    poses: Poses = 2000,
    cell: Cell = None,
    parameters: Parameters = "auto",
    mapping: Mapping = None,
    seed: Seed = 0,
    device: Device = "auto",
    report: Report = None,
    pdf: Pdf = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Calibrate an arm, and map how uncertain its tool still is.

    Geometry, joint errors and frames are drawn within the covariance of the calibration. Every draw
    is a possible arm; the map shows the RMS distance between its tool and the calibrated one's.
    """
    from armtwin.calibration.calibrate import calibrate
    from armtwin.workspace.tool_uncertainty import tool_uncertainty

    reports = [path for path in (report, pdf) if path]
    refuse_existing(reports, force=force)
    fit = calibrate(arm, recordings, mapping=mapping, parameters=parameters, on_progress=show_step)
    found = tool_uncertainty(
        fit,
        draws=whole(draws, "--draws"),
        poses=poses,
        cell=cell,
        seed=seed,
        device=device,  # type: ignore[arg-type]  # the function refuses other names
        on_progress=show_step,
    )
    show_result(found, write_reports(found, reports, force=force), json=json)
