"""The job "identify": what ``armtwin identify`` does."""

from __future__ import annotations

from armtwin.app.jobs.orders import Identify
from armtwin.app.jobs.outcome import Outcome, OutcomeTable, facts, files, table
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.identification.identify import identify
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.result.fit import Fit


def work(request: JobRequest[Identify]) -> Outcome:
    """Estimate drives, friction and masses; write the identified arm and the reports."""
    order = request.order
    fit = identify(
        request.arm(),
        request.recordings(order.recordings),
        test=request.recordings(order.test),
        options=IdentifyOptions(method=order.method, payload=order.payload, split=order.split),
        on_progress=lambda progress: request.tell(progress.step),
    )
    if fit.passed:
        fit.save(request.folder / "arm.toml")
    return with_reports(request, _outcome(fit), fit.report)


def _outcome(fit: Fit) -> Outcome:
    named = [
        ("Arm", fit.arm.name),
        ("Signal", fit.kind),
        ("Estimates", str(len(fit.estimates))),
        ("Not identified", str(len(fit.unidentifiable))),
    ]
    return Outcome(
        passed=fit.passed,
        verdict=fit.verdict,
        facts=facts(named),
        tables=(_accuracy(fit), _estimates(fit)),
        notes=(*[str(one) for one in fit.unidentifiable if one.advice][:8], *fit.notes),
        files=files([("arm.toml", "Identified arm")] if fit.passed else []),
    )


def _accuracy(fit: Fit) -> OutcomeTable:
    rows = [(a.part, a.kind, a.joint, a.mean, a.largest, a.rms, a.r2) for a in fit.accuracy]
    heads = ("part", "signal", "joint", "mean", "max", "RMS", "R²")
    unit = "A" if fit.kind == "current" else "Nm"
    return table(heads, rows, f"Accuracy (errors in {unit}; target torque in Nm)")


def _estimates(fit: Fit) -> OutcomeTable:
    rows = [(e.name, e.value, e.low, e.high, e.prior, e.unit, e.source) for e in fit.estimates]
    heads = ("parameter", "estimate", "95 % from", "to", "before", "unit", "source")
    return table(heads, rows, "Estimates")
