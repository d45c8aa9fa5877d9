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
    found = recorded_energy(
        job.arm(),
        job.recording(parameters.recording),
        mapping=job.mapping(),
        run=parameters.run,
        options=parameters.options,
        on_progress=job.on_progress,
    )
    return with_reports(job, found)
