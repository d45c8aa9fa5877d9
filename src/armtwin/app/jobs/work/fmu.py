"""The job "fmu": what ``armtwin fmu export`` does."""

from __future__ import annotations

import re

from armtwin.app.jobs.orders import Fmu
from armtwin.app.jobs.outcome import Outcome, facts, files
from armtwin.app.jobs.work.request import JobRequest
from armtwin.fmu.export.export import export_fmu


def work(request: JobRequest[Fmu]) -> Outcome:
    """Write an arm's model as an FMU."""
    order, arm = request.order, request.arm()
    request.report_step("compiling for every platform" if order.platform == "all" else "compiling")
    stem = re.sub(r"[^0-9A-Za-z]+", "_", f"{arm.name}_{order.model}").strip("_")
    name = f"{stem}.fmu"
    done = export_fmu(
        arm, request.folder / name, model=order.model, fmi=order.fmi, platform=order.platform
    )
    named = [
        ("Model", f"{done.model} of {arm.name}"),
        ("FMI version", str(done.fmi)),
        ("Platforms", ", ".join(done.platforms)),
        ("Size", f"{done.size / 1000:.1f} kB"),
    ]
    return Outcome(
        verdict=f"{name}: {done.size / 1000:.1f} kB",
        facts=facts(named),
        files=files([(name, "FMU")]),
    )
