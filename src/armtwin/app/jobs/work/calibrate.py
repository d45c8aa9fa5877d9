"""The job "calibrate": what ``armtwin calibrate`` does."""

from __future__ import annotations

from pathlib import Path

from armtwin.app.jobs.orders import Calibrate
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.calibration.calibrate import calibrate
from armtwin.calibration.data.placements import grouped
from armtwin.model.formats.export import export


def work(request: JobRequest[Calibrate]) -> Outcome:
    """Fit lengths, angles, base and tool, and write the improved arm and the reports."""
    fitted, tests = _placements(request)
    fit = calibrate(
        request.arm(),
        fitted,
        test=tests,
        mapping=request.mapping(),
        options=request.order.options,
        on_progress=request.on_progress,
    )
    if fit.passed:
        export(fit.arm, request.folder / "arm.toml")
    return with_reports(request, fit, [("arm.toml", "Calibrated arm")] if fit.passed else [])


def _placements(
    request: JobRequest[Calibrate],
) -> tuple[dict[str, list[Path]], dict[str, list[Path]]]:
    """Return recordings and tests by placement; files of one group share base and tool."""
    order = request.order
    groups = [",".join(str(request.recording(key)) for key in group) for group in order.groups]
    return grouped(request.recordings(order.recordings), request.recordings(order.test), groups)
