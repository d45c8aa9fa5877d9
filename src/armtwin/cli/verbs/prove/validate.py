"""``armtwin validate``: the twin against a recording of the real arm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import ArmName, Force, Json, Mapping, Pdf, Report, refuse_existing
from armtwin.cli.output import say, say_json, say_table
from armtwin.cli.progress import show_step
from armtwin.recording.columns.display_units import shown

if TYPE_CHECKING:
    from armtwin.validation.result import Check

EXAMPLES = """
armtwin validate ur10e run.csv
armtwin validate ur10e run.csv --limit position=1mm --limit angle=0.1deg
armtwin validate ur3e run.xlsx --fit-tool --report report.html --pdf report.pdf
armtwin validate ur3e run.csv --calibration my_robot.yaml --json
"""

RecordingFile = Annotated[
    Path,
    typer.Argument(metavar="RECORDING", help="CSV (also .gz), XLSX, Parquet, .db3 or .mcap."),
]


def command(
    arm: ArmName,
    recording: RecordingFile,
    limit: Annotated[
        list[str] | None,
        typer.Option(help="Such as position=1mm, angle.max=0.2deg, tau.r2=0.9, lag=0.5."),
    ] = None,
    fit_tool: Annotated[bool, typer.Option("--fit-tool", help="Fit a constant tool.")] = False,
    fit_base: Annotated[bool, typer.Option("--fit-base", help="Fit a constant base.")] = False,
    remove_lag: Annotated[
        bool, typer.Option("--remove-lag", help="Shift the twin by the lag before judging.")
    ] = False,
    calibration: Annotated[
        Path | None,
        typer.Option(metavar="YAML", help="Apply the robot's factory calibration."),
    ] = None,
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
    refuse_existing([path for path in (report, pdf) if path], force=force)
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
    check = validate(arm, recording, mapping=mapping, angles=angles, run=run, options=options)
    for path in (report, pdf):
        if path is not None:
            show_step(f"writing {path}")
            check.report(path, force=force)
    show_step("")
    if json:
        say_json(_plain(check, [path for path in (report, pdf) if path]))
    else:
        _print(check)
    if not check.passed:
        raise typer.Exit(1)


def _plain(check: Check, reports: list[Path]) -> dict[str, Any]:
    from armtwin.report.inputs import fingerprint, versions

    return {
        **check.to_dict(),
        "inputs": dict(fingerprint(path) for path in check.inputs),
        "versions": dict(versions()),
        "reports": reports,
    }


def _print(check: Check) -> None:
    run = check.recording
    pace = f", {run.duration:.6g} s at {run.rate:.6g} Hz" if run.timed and len(run) > 1 else ""
    say(f"{check.arm.name} against {run.origin}: {len(run):,} rows{pace}\n")
    heads = ("signal", "unit", "MAE", "RMSE", "max", "95 %", "bias", "R2")
    say_table(heads, [_row(row) for row in check.table])
    for name, lag in check.lags.items():
        half = (lag.interval[1] - lag.interval[0]) / 2
        say(
            f"\nlag of the recorded {name}: {lag.samples:.3f} +- {half:.3f} samples "
            f"({lag.seconds * 1e3:.3f} ms); it explains {lag.removed:.1%} of the squared error"
        )
    for cause in check.causes[:3]:
        say(f"\npossible cause ({cause.removed:.1%}): {cause.text}")
    for note in check.notes:
        say(f"\nnote: {note}")
    say(f"\n{'PASSED' if check.passed else 'NOT PASSED'}: {check.verdict}")


def _row(row: Any) -> tuple[Any, ...]:
    unit, size = shown(row.unit)
    numbers = [_digits(value * size) for value in (row.mae, row.rmse, row.max, row.p95)]
    bias = None if row.bias is None else _digits(row.bias * size)
    r2 = None if row.r2 is None else f"{row.r2:.5f}"
    return (row.signal, unit, *numbers, bias, r2)


def _digits(value: float) -> str:
    return f"{value:.4g}"
