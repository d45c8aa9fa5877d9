"""``armtwin calibrate``: fit an arm's geometry to measured poses."""

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
from armtwin.cli.results import show_result, write_reports, write_view
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.calibration.plan import PosePlan
    from armtwin.calibration.result import Calibration

EXAMPLES = """
armtwin calibrate ur10 poses.csv --hold-out 0.5 --out my_ur10.toml
armtwin calibrate ur10 tracker_here.csv tracker_there.csv --hold-out 0.5
armtwin calibrate ur10 first.csv second.csv --group first.csv,second.csv --test third.csv
armtwin calibrate ur3e run.xlsx --report calibration.html --json
armtwin calibrate ur10 poses.csv --report calibration.html --view poses.html
armtwin calibrate ur10 --plan 60 --out poses_to_measure.csv
armtwin calibrate desktop5 points.csv --parameters offsets --angle-tolerance 0.05
"""

Recordings = Annotated[
    list[Path] | None,
    typer.Argument(metavar="RECORDING...", help="Joints with measured poses."),
]
Plan = Annotated[
    int | None,
    typer.Option(
        "--plan",
        metavar="COUNT",
        help="Propose this many poses to measure next, and fit nothing; --out writes them (.csv).",
    ),
]
Test = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="A recording that is only predicted: with the base and tool of its group, or with "
        "its own, fitted to a fifth of its poses.",
    ),
]
Group = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE,FILE...",
        help="Recordings and tests that share one base and tool; 'all' for all of them.",
    ),
]
HoldOut = Annotated[
    float, typer.Option(metavar="SHARE", help="Share of the poses held out for a test.")
]
Parameters = Annotated[
    str,
    typer.Option(help="auto, or: frames, offsets, lengths, geometry, compliance, curves, single."),
]
Stiff = Annotated[
    bool, typer.Option("--stiff", help="No joint compliance, even where it predicts better.")
]
NoCurves = Annotated[
    bool, typer.Option("--no-curves", help="No joint error curves, even where they predict better.")
]
KeepBase = Annotated[bool, typer.Option("--keep-base", help="Do not fit the base.")]
KeepTool = Annotated[bool, typer.Option("--keep-tool", help="Do not fit the tool.")]
LengthTolerance = Annotated[
    float, typer.Option(metavar="M", help="Standard deviation of lengths before measuring [m].")
]
AngleTolerance = Annotated[
    float, typer.Option(metavar="RAD", help="Standard deviation of angles before measuring [rad].")
]
LargestError = Annotated[
    float | None,
    typer.Option(metavar="M", help="Largest mean error that passes [m]; 2 % of the reach."),
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="TOML", help="Write the calibrated arm here.")
]


def command(
    arm: ArmName,
    recordings: Recordings = None,
    test: Test = None,
    group: Group = None,
    hold_out: HoldOut = 0.0,
    parameters: Parameters = "auto",
    stiff: Stiff = False,
    no_curves: NoCurves = False,
    keep_base: KeepBase = False,
    keep_tool: KeepTool = False,
    length_tolerance: LengthTolerance = 0.002,
    angle_tolerance: AngleTolerance = 0.01,
    largest_error: LargestError = None,
    mapping: Mapping = None,
    plan: Plan = None,
    out: Out = None,
    report: Report = None,
    pdf: Pdf = None,
    view: ViewFile = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Fit lengths, angles, joint errors, base and tool to measured tool poses.

    Recordings hold joints and the tool's position, with or without orientation. The set of
    parameters that predicts left-out poses best is chosen; parameters that the poses do not
    identify are named; every fitted parameter has a 95 % interval. Every recording has its own base
    and tool (the tracker may have moved), unless --group says that some share them; the arm is one.

    Exits with 1, and writes no arm, when the mean error on poses that were not fitted is above 2 %
    of the reach (--largest-error) or 5 degrees, or larger than that of the nominal arm.
    """
    from armtwin.calibration.calibrate import calibrate
    from armtwin.calibration.data.placements import grouped
    from armtwin.calibration.options import CalibrateOptions
    from armtwin.calibration.plan import plan_poses

    refuse_existing([path for path in (out, report, pdf, view) if path], force=force)
    reports = [path for path in (report, pdf) if path]
    if plan is not None:
        shown = reporter("choosing poses")
        found = plan_poses(arm, plan, measured=recordings or [], on_progress=shown)
        _show_plan(found, out, reports, view, force=force, json=json)
        return
    if not recordings:
        raise InputError("no recording was given; give one with joints and measured x, y, z")
    options = CalibrateOptions(
        parameters=parameters, compliance=not stiff, curves=not no_curves, base=not keep_base,
        tool=not keep_tool, length_tolerance=length_tolerance, angle_tolerance=angle_tolerance,
        hold_out=hold_out, largest_error=largest_error,
    )  # fmt: skip
    given, tests = grouped(recordings, test or [], group or [])
    fit = calibrate(arm, given, test=tests, mapping=mapping, options=options,
                    on_progress=lambda progress: show_step(progress.step))  # fmt: skip
    out = out if fit.passed else None
    _write(fit, out, reports, view, force=force)
    _print(fit, out, json=json)
    if not fit.passed:
        raise typer.Exit(1)


def _show_plan(
    found: PosePlan,
    out: Path | None,
    reports: list[Path],
    view: Path | None,
    *,
    force: bool,
    json: bool,
) -> None:
    """Print, and write, poses to measure next.

    Args:
        found: the poses.
        out: file for them.
        reports: files for the page.
        view: file for the interactive page.
        force: overwrite existing files.
        json: print JSON.
    """
    files = [] if out is None else [found.recording().save(out, force=force)]
    pages = write_view(found, view, force=force)
    files += write_reports(found, reports, force=force, view=view)
    show_result(found, [*files, *pages], json=json)


def _write(
    fit: Calibration, out: Path | None, reports: list[Path], view: Path | None, *, force: bool
) -> None:
    """Write the calibrated arm, the interactive page and the reports.

    Args:
        fit: the calibration.
        out: file for the arm.
        reports: files for the page.
        view: file for the interactive page.
        force: overwrite existing files.
    """
    from armtwin.model.formats.export import export

    if out is not None:
        export(fit.arm, out, force=force)
    write_view(fit, view, force=force)
    write_reports(fit, reports, force=force, view=view)
    show_step("")


def _print(fit: Calibration, out: Path | None, *, json: bool) -> None:
    from armtwin.report.renderers.text import text

    if json:
        say_json({**fit.to_dict(), "out": out})
        return
    reason = "no --out" if fit.passed else "it did not pass"
    say(text(fit.page()))
    say(f"{fit.arm.name} {f'written to {out}' if out else f'not written ({reason})'}")
