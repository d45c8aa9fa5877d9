"""The job "detect": what ``armtwin detect`` does."""

from __future__ import annotations

from armtwin.app.jobs.job_parameters import DetectJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.jobs.work.reports import with_reports
from armtwin.detection.detect import detect
from armtwin.recording.read import read_recording


def work(job: JobContext[DetectJob]) -> Outcome:
    """Detect contacts in a recording and write the reports."""
    parameters, arm, mapping = job.parameters, job.arm(), job.mapping()
    job.report_step("reading the recordings")
    paths = [job.recording(parameters.recording), *job.recordings(parameters.clean)]
    run, *clean = [read_recording(path, arm, mapping=mapping) for path in paths]
    found = detect(
        arm, run, clean=clean or None, options=parameters.options, on_progress=job.on_progress
    )
    return with_reports(job, found)
