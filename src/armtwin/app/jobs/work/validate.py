"""The job "validate": what ``armtwin validate`` does."""

from __future__ import annotations

from typing import Any

from armtwin.app.jobs.orders import Validate
from armtwin.app.jobs.outcome import Outcome, facts, table
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.recording.columns.display_units import shown
from armtwin.validation.metrics import Metrics
from armtwin.validation.options import ValidateOptions
from armtwin.validation.result import Check
from armtwin.validation.validate import validate

HEADS = ("signal", "unit", "MAE", "RMSE", "max", "95 %", "bias", "R²")


def work(request: JobRequest[Validate]) -> Outcome:
    """Compare the twin with a recording and write the reports."""
    order = request.order
    options = ValidateOptions(
        limits=tuple(order.limits),
        fit_tool=order.fit_tool,
        fit_base=order.fit_base,
        remove_lag=order.remove_lag,
    )
    request.tell("comparing the twin with the recording")
    check = validate(
        request.arm(),
        request.recording(order.recording),
        angles=order.angles,
        run=order.run,
        options=options,
    )
    return with_reports(request, _outcome(check), check.report)


def _outcome(check: Check) -> Outcome:
    return Outcome(
        passed=check.passed,
        verdict=check.verdict,
        facts=facts(_figures(check)),
        tables=(table(HEADS, [_row(row) for row in check.table]), _limits(check)),
        notes=(*[f"possible cause: {cause.text}" for cause in check.causes[:3]], *check.notes),
    )


def _figures(check: Check) -> list[tuple[str, str]]:
    run = check.recording
    rows = [("Arm", check.arm.name), ("Recording", run.origin), ("Rows", f"{len(run):,}")]
    if run.timed and len(run) > 1:
        rows.append(("Duration", f"{run.duration:.4g} s at {run.rate:.4g} Hz"))
    for name, lag in check.lags.items():
        rows.append((f"Lag of the {name}", f"{lag.seconds * 1e3:.2f} ms"))
    return rows


def _row(row: Metrics) -> tuple[Any, ...]:
    unit, size = shown(row.unit)
    numbers = [value * size for value in (row.mae, row.rmse, row.max, row.p95)]
    return (row.signal, unit, *numbers, None if row.bias is None else row.bias * size, row.r2)


def _limits(check: Check) -> Any:
    rows = [
        (judged.signal, str(judged.limit), "kept" if judged.kept else "broken")
        for judged in check.limits
    ]
    return table(("signal", "limit", ""), rows, "Limits")
