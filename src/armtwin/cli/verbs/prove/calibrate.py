"""``armtwin calibrate``: the arm's own geometry from measured poses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import ArmName, Force, Json, Mapping, Pdf, Report, refuse_existing
from armtwin.cli.output import say, say_json, say_table
from armtwin.cli.progress import show_step
from armtwin.recording.columns.display_units import shown

if TYPE_CHECKING:
    from armtwin.calibration.result import Calibration, ParameterSetTrial, PoseErrors

EXAMPLES = """
armtwin calibrate ur10 poses.csv --hold-out 0.5 --out my_ur10.toml
armtwin calibrate ur10 tracker_here.csv tracker_there.csv --hold-out 0.5
armtwin calibrate ur10 first.csv second.csv --group first.csv,second.csv --test third.csv
armtwin calibrate ur3e run.xlsx --report calibration.html --json
armtwin calibrate desktop5 points.csv --parameters offsets --angle-tolerance 0.05
"""


def command(
    arm: ArmName,
    recordings: Annotated[
        list[Path], typer.Argument(metavar="RECORDING...", help="Joints with measured poses.")
    ],
    test: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A recording that is only predicted: with the base and tool of its group, or with "
            "its own, fitted to a fifth of its poses.",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE,FILE...",
            help="Recordings and tests that share one base and tool; 'all' for all of them.",
        ),
    ] = None,
    hold_out: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of the poses kept for a test.")
    ] = 0.0,
    parameters: Annotated[
        str,
        typer.Option(
            help="auto, or: frames, offsets, lengths, geometry, compliance, single.",
        ),
    ] = "auto",
    stiff: Annotated[
        bool, typer.Option("--stiff", help="No joint compliance, even where it would help.")
    ] = False,
    keep_base: Annotated[bool, typer.Option("--keep-base", help="Do not fit the base.")] = False,
    keep_tool: Annotated[bool, typer.Option("--keep-tool", help="Do not fit the tool.")] = False,
    length_tolerance: Annotated[
        float, typer.Option(metavar="M", help="How far lengths may be off [m].")
    ] = 0.002,
    angle_tolerance: Annotated[
        float, typer.Option(metavar="RAD", help="How far angles may be off [rad].")
    ] = 0.01,
    largest_error: Annotated[
        float | None,
        typer.Option(metavar="M", help="Mean error that still passes [m]; 2 % of the reach."),
    ] = None,
    mapping: Mapping = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="TOML", help="Write the improved arm here.")
    ] = None,
    report: Report = None,
    pdf: Pdf = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Fit lengths, angles, base and tool to where the tool was measured to be.

    Recordings hold joints and the tool's position, with or without orientation. The set of
    parameters that predicts left-out poses best is taken; what the poses cannot tell apart is
    named; every number comes with its 95 % interval. Every recording has its own base and tool
    (the tracker may stand elsewhere), unless --group says that some share them; the arm is one.

    Exits with 1, and writes no arm, when the mean error on poses that were not fitted to is above
    2 % of the reach (--largest-error) or 5 degrees, or larger than that of the nominal arm.
    """
    from armtwin.calibration.calibrate import CalibrateOptions, calibrate
    from armtwin.calibration.data.placements import grouped
    from armtwin.model.catalogue.catalogue import load
    from armtwin.model.formats.export import export

    refuse_existing([path for path in (out, report, pdf) if path], force=force)
    options = CalibrateOptions(
        parameters=parameters,
        compliance=not stiff,
        base=not keep_base,
        tool=not keep_tool,
        length_tolerance=length_tolerance,
        angle_tolerance=angle_tolerance,
        hold_out=hold_out,
        largest_error=largest_error,
    )
    given, tests = grouped(recordings, test or [], group or [])
    fit = calibrate(load(arm), given, test=tests, mapping=mapping, options=options, told=show_step)
    out = out if fit.passed else None
    if out is not None:
        export(fit.arm, out, force=force)
    for path in (report, pdf):
        if path is not None:
            show_step(f"writing {path}")
            fit.report(path, force=force)
    show_step("")
    if json:
        say_json({**fit.to_dict(), "out": out})
    else:
        _print(fit, out)
    if not fit.passed:
        raise typer.Exit(1)


def _print(fit: Calibration, out: Path | None) -> None:
    for note in fit.notes:
        say(f"note: {note}")
    say("sets of parameters, by their error on poses that were not fitted to [mm, deg]")
    trials = [
        (t.name, t.parameters, _mm(t.fitted.mean), *_left_out(t.left_out), _behind(t))
        for t in fit.trials
    ]
    heads = ("set", "numbers", "fitted mean", "left-out mean", "left-out RMS", "angle", "behind")
    say_table(heads, trials, "  ")
    say(f"\ntaken: {fit.chosen} (the smallest set behind the best by one standard error at most)")
    _print_parameters(fit)
    _print_placements(fit)
    if fit.unidentifiable:
        say("\nheld at their nominal values, because the poses cannot tell them apart")
        for held in fit.unidentifiable:
            say(f"  {held}")
    say("\npose error [mm, deg]")
    named: list[tuple[str, PoseErrors | None]] = [
        ("before, fitted poses", fit.before),
        ("after, fitted poses", fit.after),
        ("after, each left out", fit.left_out),
        ("after, choice repeated", fit.choice_included),
        ("before, held-out poses", fit.held_out_before),
        ("after, held-out poses", fit.held_out),
    ]
    rows = [(name, *_figures(errors)) for name, errors in named if errors is not None]
    say_table(("", "poses", "mean", "RMS", "95 %", "max", "angle"), rows, "  ")
    if fit.choice_included and fit.choice_included.rms > fit.before.rms:
        say("\nwarning: with the choice repeated the error is larger than before: no correction is")
        say("supported by these measurements")
    if fit.passed:
        say(f"\n{fit.arm.name} {f'written to {out}' if out else 'not written (no --out)'}")
        return
    for failure in fit.failures:
        say(f"\nNOT PASSED: {failure}")
    say(f"{fit.arm.name} not written")


def _print_placements(fit: Calibration) -> None:
    """Print the errors of every placement, where there are several."""
    if len(fit.placements) < 2:
        return
    say("\nplacements, each with its own base and tool: mean error [mm]")
    rows = []
    for p in fit.placements:
        pairs = (p.before, p.after, p.left_out, p.held_out_before, p.held_out)
        means = [None if errors is None else _mm(errors.mean) for errors in pairs]
        rows.append((p.name, ", ".join(p.recordings), p.after.count, *means))
    heads = ("", "recordings", "fitted poses", "before", "after", "left out")
    say_table((*heads, "held out before", "after"), rows, "  ")


def _left_out(errors: PoseErrors) -> tuple[str | None, ...]:
    angle = None if errors.angle_mean is None else f"{errors.angle_mean * shown('rad')[1]:.4g}"
    return _mm(errors.mean), _mm(errors.rms), angle


def _behind(trial: ParameterSetTrial) -> str:
    """Return how far a set is behind the best, with its standard error."""
    return f"{trial.behind:.4g} +- {trial.behind_error:.4g}" if trial.behind else "best"


def _print_parameters(fit: Calibration) -> None:
    rows = []
    for p in fit.parameters:
        unit, size = shown(p.unit)
        numbers = (p.nominal, p.value, p.change, (p.high - p.low) / 2)
        rows.append((p.name, unit, *[f"{number * size:.6g}" for number in numbers]))
    if rows:
        say_table(("number", "unit", "nominal", "fitted", "change", "+- (95 %)"), rows, "  ")


def _mm(value: float) -> str:
    return f"{value * 1e3:.4g}"


def _figures(errors: PoseErrors) -> tuple[str | int | None, ...]:
    angle = None if errors.angle_mean is None else f"{errors.angle_mean * shown('rad')[1]:.4g}"
    lengths = (errors.mean, errors.rms, errors.p95, errors.max)
    return (errors.count, *[_mm(length) for length in lengths], angle)
