"""The job "fmu": what ``armtwin fmu export`` does."""

from __future__ import annotations

import re

from armtwin.app.jobs.job_parameters import FmuJob
from armtwin.app.jobs.outcome import Outcome, outcome_of
from armtwin.app.jobs.work.context import JobContext
from armtwin.fmu.export.export import export_fmu


def work(job: JobContext[FmuJob]) -> Outcome:
    """Write an arm's model as an FMU."""
    parameters, arm = job.parameters, job.arm()
    stem = re.sub(r"[^0-9A-Za-z]+", "_", f"{arm.name}_{parameters.model}").strip("_")
    name = f"{stem}.fmu"
    done = export_fmu(
        arm,
        job.folder / name,
        model=parameters.model,
        fmi=parameters.fmi,
        platform=parameters.platform,
        on_progress=job.on_progress,
    )
    return outcome_of(done.page()).with_file(name, "FMU")
