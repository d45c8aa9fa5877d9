"""The job "identify": what ``armtwin identify`` does."""

from __future__ import annotations

from armtwin.app.jobs.orders import Identify
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.identification.identify import identify


def work(request: JobRequest[Identify]) -> Outcome:
    """Estimate drives, friction and masses; write the identified arm and the reports."""
    order = request.order
    fit = identify(
        request.arm(),
        request.recordings(order.recordings),
        test=request.recordings(order.test),
        mapping=request.mapping(),
        options=order.options,
        on_progress=request.on_progress,
    )
    if fit.passed:
        fit.save(request.folder / "arm.toml")
    return with_reports(request, fit, [("arm.toml", "Identified arm")] if fit.passed else [])
