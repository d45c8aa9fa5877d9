"""The job "excite": what ``armtwin excite`` does."""

from __future__ import annotations

from armtwin.app.jobs.job_parameters import ExciteJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.jobs.work.reports import with_reports
from armtwin.motion.excitation.excite import excite
from armtwin.motion.motion_file import save_motion


def work(job: JobContext[ExciteJob]) -> Outcome:
    """Find an informative motion; write it and the reports."""
    arm = job.arm()
    found = excite(arm, options=job.parameters.options, on_progress=job.on_progress)
    job.report_step("writing the motion")
    save_motion(found.motion, arm, job.folder / "motion.csv")
    return with_reports(job, found, [("motion.csv", "Motion (CSV)")])
