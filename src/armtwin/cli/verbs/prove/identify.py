"""``armtwin identify``: an arm's motors, friction and masses from its own recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import ArmName, Force, Json, Mapping, Pdf, Report, refuse_existing
from armtwin.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from armtwin.identification.result.accuracy import Accuracy
    from armtwin.identification.result.estimates import Estimate
    from armtwin.identification.result.fit import Fit
    from armtwin.recording.recording import Recording

EXAMPLES = """
armtwin identify ur5e train.csv --test other.csv --out my_ur5e.toml --report fit.html
armtwin identify ur3e runs.csv.gz --split 0.75 --payload --json
armtwin identify ur10 bag.db3 --split 0.5 --signal tau
armtwin identify ur5e run.csv --method staged --friction power-flow
"""

MOST_GAPS = 8


def command(
    arm: ArmName,
    train: Annotated[list[Path], typer.Argument(metavar="TRAIN...", help="Recordings to fit to.")],
    test: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A recording that is only predicted.")
    ] = None,
    split: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Fit to this share of the runs (of the time of one)."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="joint (everything) or staged (links as in the file). Default: staged with "
            "--payload, else joint."
        ),
    ] = None,
    payload: Annotated[
        bool,
        typer.Option(
            "--payload",
            help="Estimate a payload, too: mass, and centre of gravity in the flange frame.",
        ),
    ] = False,
    mounting: Annotated[
        bool, typer.Option("--mounting", help="Estimate the direction of gravity, too.")
    ] = False,
    friction: Annotated[
        str | None, typer.Option(help="A friction law for all joints; else cross-validation.")
    ] = None,
    signal: Annotated[str | None, typer.Option(help="current or tau; else what there is.")] = None,
    no_target: Annotated[
        bool, typer.Option("--no-target", help="Do not use recorded target torques.")
    ] = False,
    gear: Annotated[
        float, typer.Option(help="Gear ratio of drives that the arm's file does not know.")
    ] = 1.0,
    rest_speed: Annotated[
        float, typer.Option(help="Joints slower than this stand [rad/s].")
    ] = 0.02,
    mapping: Mapping = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="TOML", help="Write the improved arm here.")
    ] = None,
    report: Report = None,
    pdf: Pdf = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Estimate torque constants, rotor inertias, friction and link parameters.

    Every estimate has a 95 % interval; what the data cannot tell is named. Signals are compared
    below 5 Hz while the joint moves; other figures stand beside. Exits with 1, and writes no arm,
    where a joint is predicted worse than by its mean.
    """
    from armtwin.identification.identify import identify
    from armtwin.identification.options import IdentifyOptions
    from armtwin.model.catalogue.catalogue import load

    files = [path for path in (out, report, pdf) if path is not None]
    refuse_existing(files, force=force)
    twin = load(arm)
    settings = IdentifyOptions(
        friction=friction, signal=signal, use_target=not no_target, gear=gear, rest_speed=rest_speed
    )
    fitted, held = _divided(twin, train, test or [], split, mapping)
    fit = identify(twin, fitted, held, method=method, payload=payload, mounting=mounting,
                   settings=settings)  # fmt: skip
    if out is not None and not fit.failures:
        fit.save(out, force=force)
    written = [path for path in files if path != out or not fit.failures]
    _write_reports(fit, (*train, *(test or [])), [p for p in (report, pdf) if p], force)
    say_json(_plain(fit, written)) if json else _print(fit, written)
    if fit.failures:
        raise typer.Exit(1)


def _divided(
    arm: Any, train: list[Path], test: list[Path], split: float | None, mapping: str | None
) -> tuple[list[Recording], list[Recording]]:
    """Return the recordings to fit to and those to predict."""
    from armtwin.identification.data.sources import gather, split_runs

    fitted, held = gather(train, arm, mapping), gather(test, arm, mapping)
    if split is None:
        return fitted, held
    if held:
        raise typer.BadParameter("--split divides the training data; leave --test out")
    return split_runs(fitted, split)


def _write_reports(fit: Fit, inputs: tuple[Path, ...], paths: list[Path], force: bool) -> None:
    if paths:
        from armtwin.identification.page import write

        for path in paths:
            write(fit, path, inputs=inputs, force=force)


def _print(fit: Fit, files: list[Path]) -> None:
    say(f"{fit.before.name}: {', '.join(fit.settings.unknown)} from {fit.kind}\n")
    heads = ("part", "signal", "joint", "mean", "max", "RMS", "R2", "raw R2", "used")
    say_table(heads, [_accuracy_row(row) for row in fit.accuracy])
    say(f"\nerrors in {'A' if fit.kind == 'current' else 'Nm'} (target torque in Nm)\n")
    names = ("parameter", "estimate", "95 % from", "to", "prior", "unit", "told by")
    say_table(names, [_estimate_row(row) for row in fit.estimates])
    _print_gaps(fit)
    for line in fit.account:
        say(f"\nnote: {line}")
    for path in files:
        say(f"\nwritten: {path}")


def _accuracy_row(row: Accuracy) -> tuple[Any, ...]:
    sizes = (f"{value:.4g}" for value in (row.mean, row.largest, row.rms))
    shares = (f"{row.r2:.4f}", f"{row.raw_r2:.4f}", f"{row.share:.0%}")
    return (row.part, row.kind, row.joint, *sizes, *shares)


def _estimate_row(row: Estimate) -> tuple[Any, ...]:
    numbers = (f"{value:.4g}" for value in (row.value, row.low, row.high))
    prior = None if row.prior is None else f"{row.prior:.4g}"
    return (row.name, *numbers, prior, row.unit, row.source)


def _print_gaps(fit: Fit) -> None:
    say(f"\nnot told by these data: {len(fit.unidentifiable)} (condition {fit.condition:.2g})")
    shown = [gap for gap in fit.unidentifiable if gap.advice][:MOST_GAPS]
    for gap in shown:
        say(f"  {gap}")
    if len(fit.unidentifiable) > len(shown):
        say("  more in the report (--report) and in --json")


def _plain(fit: Fit, files: list[Path]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "arm": fit.arm.name,
        "kind": fit.kind,
        "estimates": [asdict(e) for e in fit.estimates],
        "base": [asdict(e) for e in fit.base],
        "accuracy": [_finite(asdict(a)) for a in fit.accuracy],
        "unidentifiable": [asdict(gap) for gap in fit.unidentifiable],
        "condition": fit.condition,
        "conflict": fit.conflict,
        "failures": fit.failures,
        "friction_laws": [{"law": c.best.law, "speed": c.best.speed} for c in fit.choices],
        "notes": fit.account,
        "settings": dict(fit.settings.rows()),
        "files": files,
    }


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with None where a figure does not exist (JSON knows no NaN)."""
    return {key: None if value != value else value for key, value in row.items()}
