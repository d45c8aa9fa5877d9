"""The job "validate": what ``armtwin validate`` does."""

from __future__ import annotations

import dataclasses

from armtwin.app.jobs.orders import Validate
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.validation.validate import validate


def work(request: JobRequest[Validate]) -> Outcome:
    """Compare the twin with a recording and write the reports."""
    order, options = request.order, request.order.options
    if options.calibration is not None:
        file = request.recording(str(options.calibration))
        options = dataclasses.replace(options, calibration=file)
    check = validate(
        request.arm(),
        request.recording(order.recording),
        mapping=request.mapping(),
        angles=order.angles,
        run=order.run,
        options=options,
        on_progress=request.on_progress,
    )
    return with_reports(request, check)
