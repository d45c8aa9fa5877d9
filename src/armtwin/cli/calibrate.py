"""``armtwin calibrate``: the arm's own geometry from measured poses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.options import ArmName, Force, Json
from armtwin.cli.output import say, say_json, say_table
from armtwin.cli.steps import show_step
from armtwin.cli.validate import Mapping, Pdf, Report, refuse_existing
from armtwin.validate.shown_units import shown

if TYPE_CHECKING:
    from armtwin.identify.calibrated import Calibration, PoseErrors

EXAMPLES = """
armtwin calibrate ur10 poses.csv --hold-out 0.5 --out my_ur10.toml
armtwin calibrate ur3e run.xlsx --report calibration.html --json
armtwin calibrate desktop5 points.csv --parameters offsets --angle-tolerance 0.05
"""


def command(
    arm: ArmName,
    recordings: Annotated[
        list[Path], typer.Argument(metavar="RECORDING...", help="Joints with measured poses.")
    ],
    test: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A recording that is only predicted.")
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
    named; every number comes with its 95 % interval.
    """
    from armtwin.identify.geometry import Options, calibrate
    from armtwin.model.catalog import load
    from armtwin.model.export import export

    refuse_existing([path for path in (out, report, pdf) if path], force=force)
    options = Options(
        parameters=parameters,
        compliance=not stiff,
        base=not keep_base,
        tool=not keep_tool,
        length_tolerance=length_tolerance,
        angle_tolerance=angle_tolerance,
        hold_out=hold_out,
    )
    fit = calibrate(
        load(arm), recordings, test=test or [], mapping=mapping, options=options, told=show_step
    )
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


def _print(fit: Calibration, out: Path | None) -> None:
    say("sets of parameters, by their error on poses that were not fitted to [mm]")
    trials = [
        (t.name, t.parameters, _mm(t.fitted.mean), _mm(t.left_out.mean), _mm(t.left_out.rms))
        for t in fit.trials
    ]
    say_table(("set", "numbers", "fitted mean", "left-out mean", "left-out RMS"), trials, "  ")
    say(f"\ntaken: {fit.chosen}")
    _print_parameters(fit)
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
    say(f"\n{fit.arm.name} {f'written to {out}' if out else 'not written (no --out)'}")


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
