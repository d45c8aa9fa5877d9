"""The job "energy": what ``armtwin energy`` does."""

from __future__ import annotations

from armtwin.app.jobs.job_parameters import EnergyJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.jobs.work.reports import with_reports
from armtwin.energy.recorded import recorded_energy


def work(job: JobContext[EnergyJob]) -> Outcome:
    """Compute the energy ledger of a recording and write the reports."""
    parameters = job.parameters
    job.report_step("computing the energy ledger")
    found = recorded_energy(
        job.arm(),
        job.recording(parameters.recording),
        rule=parameters.rule,
        idle=parameters.idle_power,
        measured=parameters.measured,
        mapping=job.mapping(),
        run=parameters.run,
    )
    return with_reports(job, found)
