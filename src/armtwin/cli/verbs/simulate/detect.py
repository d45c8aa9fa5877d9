"""``armtwin detect``: contacts in a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import ArmName, Force, Json
from armtwin.cli.output import say, say_json
from armtwin.cli.verbs.simulate.simulate_result import plain_alarms, say_alarms

if TYPE_CHECKING:
    from armtwin.detection.detect import Detection

EXAMPLES = """
armtwin detect ur10e run.parquet
armtwin detect ur10e run.parquet --clean clean.parquet --json
armtwin detect ur5 pushed.csv.gz --clean undisturbed.csv.gz --report contacts.html
"""


def command(
    arm: ArmName,
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="With q, qd, and torques or currents.")
    ],
    clean: Annotated[
        list[Path] | None,
        typer.Option(metavar="CLEAN_RECORDING", help="Undisturbed motion to learn from."),
    ] = None,
    mapping: Annotated[
        str | None, typer.Option(help="TOML file that names the columns, or a dialect's name.")
    ] = None,
    per_hour: Annotated[
        float, typer.Option(help="False alarms per hour that the thresholds stand for.")
    ] = 1.0,
    fixed_friction: Annotated[
        bool, typer.Option("--fixed-friction", help="Do not follow friction while it drifts.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an HTML report.")
    ] = None,
    pdf: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a PDF report.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find contacts: when, at which joint, how strong, until when.

    Friction, model bias, torque constants (where the arm file has none) and thresholds are learned
    from clean recordings; without one from the recording itself, as far as that goes. Exit code 1
    where the recording cannot be judged, 2 where the model does not explain what it learns from.
    """
    from armtwin.cli.options import refuse_existing
    from armtwin.cli.progress import show_step
    from armtwin.detection.detect import detect
    from armtwin.detection.learning.adapt import TIME_CONSTANT
    from armtwin.detection.page import write
    from armtwin.model.catalogue.catalogue import load
    from armtwin.recording.read import read_recording

    refuse_existing([file for file in (report, pdf) if file], force=force)
    loaded = load(arm)
    run = read_recording(recording, loaded, mapping)
    calm = [read_recording(file, loaded, mapping) for file in clean or ()]
    show_step("learning and detecting")
    adaptation = float("inf") if fixed_friction else TIME_CONSTANT
    found = detect(loaded, run, clean=calm or None, per_hour=per_hour, adaptation=adaptation)
    for file in (report, pdf):
        if file is not None:
            show_step(f"writing {file}")
            write(loaded, run, found, file, force=force)
    show_step("")
    if json:
        say_json(_plain(arm, recording, found))
    else:
        _print(recording, found)
    if found.doubt:
        raise typer.Exit(1)


def _plain(arm: str, recording: Path, found: Detection) -> dict[str, Any]:
    import numpy as np

    score = found.score[np.isfinite(found.score)]
    return {
        "arm": arm,
        "recording": recording,
        "verdict": found.verdict,
        "reason": found.doubt,
        "alarms": plain_alarms(found),
        "samples": len(found.time),
        "unusable_samples": int(np.isnan(found.score).sum()),
        "largest_score": float(score.max()) if score.size else None,
        "false_alarms_per_hour": found.thresholds.per_hour,
        "thresholds": found.thresholds.joints,
        "notes": list(found.notes),
    }


def _print(recording: Path, found: Detection) -> None:
    last = found.time[-1] - found.time[0]
    say(f"{recording}: {len(found.time):,} samples, {last:.6g} s, {len(found.alarms)} contacts")
    say_alarms(plain_alarms(found), found.doubt)
    say("")
    for note in found.notes:
        say(f"note: {note}")
