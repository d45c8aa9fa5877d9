"""``armtwin detect``: contacts in a recording."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

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
from armtwin.cli.results import show_result, show_step, write_reports, write_view

EXAMPLES = """
armtwin detect ur10e run.parquet
armtwin detect ur10e run.parquet --clean clean.parquet --json
armtwin detect ur5 pushed.csv.gz --clean undisturbed.csv.gz --report contacts.html
armtwin detect ur10e run.parquet --report contacts.html --view contacts_view.html
"""


def command(
    arm: ArmName,
    recording: Annotated[
        Path,
        typer.Argument(metavar="RECORDING", help="Recording with q, qd, and torques or currents."),
    ],
    clean: Annotated[
        list[Path] | None,
        typer.Option(metavar="CLEAN_RECORDING", help="Undisturbed motion to learn from."),
    ] = None,
    mapping: Mapping = None,
    per_hour: Annotated[
        float, typer.Option(help="Expected false alarms per hour; sets the thresholds.")
    ] = 1.0,
    fixed_friction: Annotated[
        bool, typer.Option("--fixed-friction", help="Do not follow friction while it drifts.")
    ] = False,
    report: Report = None,
    pdf: Pdf = None,
    view: ViewFile = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Detect contacts: when, at which joint, how strong, until when.

    Friction, model bias, torque constants (where the arm file has none) and thresholds are learned
    from clean recordings; without one from the recording itself, as far as that goes. Exit code 1
    where the recording cannot be judged, 2 where the model does not explain what it learns from.
    """
    from armtwin.detection.detect import detect
    from armtwin.detection.options import DetectOptions
    from armtwin.model.catalogue.catalogue import as_arm
    from armtwin.recording.read import read_recording

    files = [file for file in (report, pdf) if file]
    refuse_existing([*files, *([view] if view else [])], force=force)
    loaded = as_arm(arm)
    given = (recording, *(clean or ()))
    run, *calm = [read_recording(file, loaded, mapping=mapping) for file in given]
    options = DetectOptions(per_hour=per_hour)
    if fixed_friction:
        options = dataclasses.replace(options, adaptation=None)
    found = detect(loaded, run, clean=calm or None, options=options, on_progress=show_step)
    pages = write_view(found, view, force=force)
    written = write_reports(found, files, force=force, view=view)
    show_result(found, [*written, *pages], json=json)
    if found.reason:
        raise typer.Exit(1)
