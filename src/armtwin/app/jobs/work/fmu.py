"""The job "fmu": what ``armtwin fmu export`` does."""

from __future__ import annotations

import re

from armtwin.app.jobs.orders import Fmu
from armtwin.app.jobs.outcome import Outcome, outcome_of
from armtwin.app.jobs.work.request import JobRequest
from armtwin.fmu.export.export import export_fmu


def work(request: JobRequest[Fmu]) -> Outcome:
    """Write an arm's model as an FMU."""
    order, arm = request.order, request.arm()
    stem = re.sub(r"[^0-9A-Za-z]+", "_", f"{arm.name}_{order.model}").strip("_")
    name = f"{stem}.fmu"
    done = export_fmu(
        arm,
        request.folder / name,
        model=order.model,
        fmi=order.fmi,
        platform=order.platform,
        on_progress=request.on_progress,
    )
    return outcome_of(done.page()).with_file(name, "FMU")
