"""The job "identify": what ``armtwin identify`` does."""

from __future__ import annotations

from armtwin.app.jobs.job_parameters import IdentifyJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.jobs.work.reports import with_reports
from armtwin.identification.identify import identify


def work(job: JobContext[IdentifyJob]) -> Outcome:
    """Estimate drives, friction and masses; write the identified arm and the reports."""
    parameters = job.parameters
    fit = identify(
        job.arm(),
        job.recordings(parameters.recordings),
        test=job.recordings(parameters.test),
        mapping=job.mapping(),
        options=parameters.options,
        on_progress=job.on_progress,
    )
    if fit.passed:
        fit.save(job.folder / "arm.toml")
    return with_reports(job, fit, [("arm.toml", "Identified arm")] if fit.passed else [])
