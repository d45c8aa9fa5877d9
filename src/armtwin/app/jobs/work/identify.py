"""The job "identify": what ``armtwin identify`` does."""

from __future__ import annotations

from armtwin.app.jobs.orders import Identify
from armtwin.app.jobs.outcome import Outcome, OutcomeTable, facts, files, table
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.errors import InputError
from armtwin.identification.data.sources import gather, split_runs
from armtwin.identification.identify import identify
from armtwin.identification.page import write
from armtwin.identification.result.fit import Fit


def work(request: JobRequest[Identify]) -> Outcome:
    """Estimate motors, friction and masses; write the improved arm and the reports."""
    order, arm = request.order, request.arm()
    if order.split is not None and order.test:
        raise InputError("a split divides the training data; leave the test recordings out")
    inputs = request.recordings([*order.recordings, *order.test])
    request.tell("reading the recordings")
    train = gather(request.recordings(order.recordings), arm)
    held = gather(request.recordings(order.test), arm)
    if order.split is not None:
        train, held = split_runs(train, order.split)
    fit = identify(arm, train, held, method=order.method, payload=order.payload, told=request.tell)
    if not fit.failures:
        fit.save(request.folder / "arm.toml")
    return with_reports(request, _outcome(fit), lambda path: write(fit, path, inputs=tuple(inputs)))


def _outcome(fit: Fit) -> Outcome:
    part = "test" if fit.r2("test") else "train"
    r2 = fit.r2(part)
    named = [
        ("Arm", fit.arm.name),
        ("Signal", fit.kind),
        ("Estimates", str(len(fit.estimates))),
        ("Not told by the data", str(len(fit.unidentifiable))),
    ]
    return Outcome(
        verdict=("NOT PROVED: " if fit.failures else "")
        + f"R² of the {fit.kind} on the {part} data: {min(r2):.3f} to {max(r2):.3f}",
        facts=facts(named),
        tables=(_accuracy(fit), _estimates(fit)),
        notes=(*[str(gap) for gap in fit.unidentifiable if gap.advice][:8], *fit.account),
        files=files([] if fit.failures else [("arm.toml", "Improved arm")]),
    )


def _accuracy(fit: Fit) -> OutcomeTable:
    rows = [(a.part, a.kind, a.joint, a.mean, a.largest, a.rms, a.r2) for a in fit.accuracy]
    heads = ("part", "signal", "joint", "mean", "max", "RMS", "R²")
    unit = "A" if fit.kind == "current" else "Nm"
    return table(heads, rows, f"Accuracy (errors in {unit}; target torque in Nm)")


def _estimates(fit: Fit) -> OutcomeTable:
    rows = [(e.name, e.value, e.low, e.high, e.prior, e.unit, e.source) for e in fit.estimates]
    heads = ("parameter", "estimate", "95 % from", "to", "before", "unit", "told by")
    return table(heads, rows, "Estimates")
