"""The job "calibrate": what ``armtwin calibrate`` does."""

from __future__ import annotations

from typing import Any

from armtwin.app.jobs.orders import Calibrate
from armtwin.app.jobs.outcome import Outcome, OutcomeTable, facts, files, table
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.calibration.calibrate import calibrate
from armtwin.calibration.options import CalibrateOptions
from armtwin.calibration.pose_errors import FittedParameter, PoseErrors
from armtwin.calibration.result import Calibration
from armtwin.model.formats.export import export
from armtwin.units import shown


def work(request: JobRequest[Calibrate]) -> Outcome:
    """Fit lengths, angles, base and tool, and write the improved arm and the reports."""
    order = request.order
    fit = calibrate(
        request.arm(),
        request.recordings(order.recordings),
        test=request.recordings(order.test),
        options=CalibrateOptions(hold_out=order.hold_out),
        on_progress=lambda progress: request.tell(progress.step),
    )
    if fit.passed:
        export(fit.arm, request.folder / "arm.toml")
    return with_reports(request, _outcome(fit), fit.report)


def _outcome(fit: Calibration) -> Outcome:
    return Outcome(
        passed=fit.passed,
        verdict=_verdict(fit),
        facts=facts([("Arm", fit.arm.name), ("Numbers fitted", str(len(fit.parameters)))]),
        tables=(_errors(fit), _numbers(fit)),
        notes=(*fit.notes, *[str(held) for held in fit.unidentifiable]),
        files=files([("arm.toml", "Improved arm")] if fit.passed else []),
    )


def _verdict(fit: Calibration) -> str:
    """Return the verdict as a sentence; a result that did not pass says why."""
    if not fit.passed:
        return f"not passed, no arm is written: {fit.verdict}"
    before, after = fit.before.mean * 1e3, fit.after.mean * 1e3
    return f"{fit.chosen}: mean error {before:.3g} mm before, {after:.3g} mm after"


def _errors(fit: Calibration) -> OutcomeTable:
    named: list[tuple[str, PoseErrors | None]] = [
        ("before, fitted poses", fit.before),
        ("after, fitted poses", fit.after),
        ("after, each left out", fit.left_out),
        ("before, held-out poses", fit.held_out_before),
        ("after, held-out poses", fit.held_out),
    ]
    rows = [
        (name, e.count, e.mean * 1e3, e.rms * 1e3, e.max * 1e3)
        for name, e in named
        if e is not None
    ]
    return table(("", "poses", "mean [mm]", "RMS [mm]", "max [mm]"), rows, "Pose errors")


def _numbers(fit: Calibration) -> OutcomeTable:
    heads = ("number", "unit", "before", "fitted", "95 % from", "to")
    return table(heads, [_number(p) for p in fit.parameters], "Fitted numbers")


def _number(p: FittedParameter) -> tuple[Any, ...]:
    unit, size = shown(p.unit)
    return (p.name, unit, *[value * size for value in (p.nominal, p.value, p.low, p.high)])
