"""``armtwin identify``: estimate an arm's drives, friction and masses from recordings."""

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
from armtwin.cli.progress_display import show_step
from armtwin.cli.results import write_reports, write_view

if TYPE_CHECKING:
    from armtwin.identification.result.fit import Fit
    from armtwin.recording.recording import Recording

EXAMPLES = """
armtwin identify ur5e train.csv --test other.csv --out my_ur5e.toml --report fit.html
armtwin identify ur5e train.csv --test other.csv --report fit.html --view fit_view.html
armtwin identify ur3e runs.csv.gz --split 0.75 --payload --json
armtwin identify ur10 bag.db3 --split 0.5 --signal tau
armtwin identify ur5e monday.csv tuesday.csv friday.csv --days each
armtwin identify ur5e run.csv --method staged --friction power-flow
"""

Train = Annotated[list[Path], typer.Argument(metavar="TRAIN...", help="Recordings to fit.")]
Test = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="A recording that is only predicted.")
]
Split = Annotated[
    float | None,
    typer.Option(metavar="SHARE", help="Fit to this share of the runs (of the time of one)."),
]
Method = Annotated[
    str | None,
    typer.Option(
        help="joint (everything) or staged (links as in the file). Default: staged with "
        "--payload, else joint."
    ),
]
Payload = Annotated[
    bool,
    typer.Option(
        "--payload", help="Estimate a payload: mass, and centre of gravity in the flange frame."
    ),
]
Mounting = Annotated[
    bool, typer.Option("--mounting", help="Estimate the direction of gravity in the base frame.")
]
FrictionLaw = Annotated[
    str | None, typer.Option(help="A friction law for all joints; else cross-validation.")
]
Signal = Annotated[
    str | None, typer.Option(help="current or tau; else the current where it is recorded.")
]
NoTarget = Annotated[bool, typer.Option("--no-target", help="Do not use recorded target torques.")]
Gear = Annotated[float, typer.Option(help="Gear ratio of drives that the arm file lacks.")]
Days = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Days of the training files, separated by commas; 'each': every file is of "
        "another day. Intervals for any day are then estimated, not assumed.",
    ),
]
RestSpeed = Annotated[float, typer.Option(help="Joints slower than this are at rest [rad/s].")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="TOML", help="Write the identified arm here.")
]


def command(
    arm: ArmName,
    train: Train,
    test: Test = None,
    split: Split = None,
    method: Method = None,
    payload: Payload = False,
    mounting: Mounting = False,
    friction: FrictionLaw = None,
    signal: Signal = None,
    no_target: NoTarget = False,
    gear: Gear = 1.0,
    rest_speed: RestSpeed = 0.02,
    days: Days = None,
    mapping: Mapping = None,
    out: Out = None,
    report: Report = None,
    pdf: Pdf = None,
    view: ViewFile = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Estimate torque constants, rotor inertias, friction and link parameters.

    Every estimate has a 95 % interval; parameters that the data do not determine are named. Signals
    are compared below 5 Hz while the joint moves; unfiltered figures are given as well. Exits with
    1, and writes no arm, when a joint is predicted worse than by the mean of its signal. A joint
    that hardly moves, or whose signal is noise, is named as not judged.
    """
    from armtwin.identification.identify import identify
    from armtwin.identification.options import IdentifyOptions

    refuse_existing([path for path in (out, report, pdf, view) if path], force=force)
    options = IdentifyOptions(
        method=method, payload=payload, mounting=mounting, split=split, friction=friction,
        signal=signal, use_target=not no_target, gear=gear, rest_speed=rest_speed,
        days=days,
    )  # fmt: skip
    fit = identify(arm, train, test=test or [], mapping=mapping, options=options,
                   on_progress=lambda progress: show_step(progress.step))  # fmt: skip
    written = [fit.save(out, force=force)] if out and fit.passed else []
    pages = write_view(
        fit, view, force=force, recording=lambda: _first_run(fit, [*(test or []), *train], mapping)
    )
    written += write_reports(fit, [p for p in (report, pdf) if p], force=force, view=view)
    written += pages
    show_step("")
    if json:
        say_json({**fit.to_dict(), "files": written})
    else:
        _print(fit, written)
    if not fit.passed:
        raise typer.Exit(1)


def _first_run(fit: Fit, files: list[Path], mapping: str | None) -> Recording:
    """Return the first run of the first file: what the interactive page plays."""
    from armtwin.recording.read import read_recordings

    return read_recordings(files[0], fit.arm, mapping=mapping)[0]


def _print(fit: Fit, files: list[Path]) -> None:
    from armtwin.report.renderers.text import text

    say(text(fit.page()))
    for path in files:
        say(f"written: {path}")
