"""The job "validate": what ``armtwin validate`` does."""

from __future__ import annotations

import dataclasses

from armtwin.app.jobs.job_parameters import ValidateJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.jobs.work.reports import with_reports
from armtwin.validation.validate import validate


def work(job: JobContext[ValidateJob]) -> Outcome:
    """Compare the twin with a recording and write the reports."""
    parameters, options = job.parameters, job.parameters.options
    if options.calibration is not None:
        file = job.recording(str(options.calibration))
        options = dataclasses.replace(options, calibration=file)
    check = validate(
        job.arm(),
        job.recording(parameters.recording),
        mapping=job.mapping(),
        angles=parameters.angles,
        run=parameters.run,
        options=options,
        on_progress=job.on_progress,
    )
    return with_reports(job, check)
