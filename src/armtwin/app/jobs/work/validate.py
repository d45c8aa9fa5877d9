"""The job "validate": what ``armtwin validate`` does."""

from __future__ import annotations

from armtwin.app.jobs.orders import Validate
from armtwin.app.jobs.outcome import Outcome, outcome_of
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.errors import InputError
from armtwin.recording.columns.dialects import bundled
from armtwin.validation.options import ValidateOptions
from armtwin.validation.validate import validate


def work(request: JobRequest[Validate]) -> Outcome:
    """Compare the twin with a recording and write the reports.

    Raises:
        InputError: a mapping that is not bundled. Its name is never taken for a file's path.
    """
    order = request.order
    if isinstance(order.mapping, str) and order.mapping not in bundled():
        raise InputError(f"no mapping {order.mapping!r}; choose one of {', '.join(bundled())}")
    options = ValidateOptions(
        limits=tuple(order.limits),
        fit_tool=order.fit_tool,
        fit_base=order.fit_base,
        remove_lag=order.remove_lag,
        calibration=request.recording(order.calibration) if order.calibration else None,
        efforts=not order.pose_only,
    )
    check = validate(
        request.arm(),
        request.recording(order.recording),
        mapping=order.mapping,
        angles=order.angles,
        run=order.run,
        options=options,
        on_progress=lambda progress: request.tell(progress.step),
    )
    return with_reports(request, outcome_of(check.page()), check.report)
