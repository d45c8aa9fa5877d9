"""The job "calibrate": what ``armtwin calibrate`` does."""

from __future__ import annotations

from pathlib import Path

from armtwin.app.jobs.job_parameters import CalibrateJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.jobs.work.reports import with_reports
from armtwin.calibration.calibrate import calibrate
from armtwin.calibration.data.placements import grouped
from armtwin.model.formats.export import export


def work(job: JobContext[CalibrateJob]) -> Outcome:
    """Fit lengths, angles, base and tool, and write the improved arm and the reports."""
    fitted, tests = _placements(job)
    fit = calibrate(
        job.arm(),
        fitted,
        test=tests,
        mapping=job.mapping(),
        options=job.parameters.options,
        on_progress=job.on_progress,
    )
    if fit.passed:
        export(fit.arm, job.folder / "arm.toml")
    return with_reports(job, fit, [("arm.toml", "Calibrated arm")] if fit.passed else [])


def _placements(
    job: JobContext[CalibrateJob],
) -> tuple[dict[str, list[Path]], dict[str, list[Path]]]:
    """Return recordings and tests by placement; files of one group share base and tool."""
    parameters = job.parameters
    groups = [",".join(str(job.recording(key)) for key in group) for group in parameters.groups]
    return grouped(job.recordings(parameters.recordings), job.recordings(parameters.test), groups)
