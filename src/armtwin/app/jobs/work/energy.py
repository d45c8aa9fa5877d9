"""The job "energy": what ``armtwin energy`` does."""

from __future__ import annotations

from armtwin.app.jobs.orders import Energy
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.energy.recorded import recorded_energy


def work(request: JobRequest[Energy]) -> Outcome:
    """Compute the energy ledger of a recording and write the reports."""
    order = request.order
    request.report_step("computing the energy ledger")
    found = recorded_energy(
        request.arm(),
        request.recording(order.recording),
        rule=order.rule,
        idle=order.idle_power,
        measured=order.measured,
        mapping=request.mapping(),
        run=order.run,
    )
    return with_reports(request, found)
