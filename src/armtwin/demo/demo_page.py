"""The report of the demo."""

from __future__ import annotations

from collections.abc import Iterator

from armtwin.demo.scenario import PUSH, DemoResult
from armtwin.detection import page as collisions
from armtwin.report.numbers import with_unit
from armtwin.report.page import Page, Section, Text, Verdict
from armtwin.validation import page as validation


def page(result: DemoResult) -> Page:
    """Return the report: the figures, then detection and validation in full."""
    run = collisions.page(result.plant, result.run, result.detection)
    proof = validation.page(result.check)
    return Page(
        title=f"{result.arm.title or result.arm.name} and its twin",
        subtitle="circle, push, contact detection, and comparison with the twin",
        verdict=Verdict(
            not result.failures,
            "; ".join(result.failures)
            or "the push was detected, and the twin agrees with the recording",
        ),
        facts=tuple(facts(result)),
        sections=(
            Section("What this is", (Text(_TEXT),)),
            *run.sections,
            *(Section(f"Validation: {s.title.lower()}", s.parts) for s in proof.sections),
        ),
        settings=(*run.settings, *proof.settings),
    )


def facts(result: DemoResult) -> Iterator[tuple[str, str]]:
    """Yield the figures with their names."""
    before, after = result.tracking
    yield "Tracking error before the push", f"{with_unit(before, 'm', 3)} RMS"
    yield "Tracking error after it", f"{with_unit(after, 'm', 3)} at most"
    yield "Push", f"{PUSH.torque:g} Nm on joint {PUSH.joint} at {PUSH.start:g} s"
    yield "Detected", _detected(result)
    for row in result.check.table:
        if row.signal == "position":
            yield "Twin's tool position error", f"{with_unit(row.rmse, 'm', 3)} RMS"
    yield "FMU against Python over the run", f"{with_unit(result.fmu_gap, 'm', 2)} at most"


def _detected(result: DemoResult) -> str:
    if result.delay is None:
        return "not at all"
    alarm = next(a for a in result.detection.alarms if a.time >= PUSH.start)
    return f"{alarm.torque:.1f} Nm on joint {alarm.joint}, {result.delay * 1e3:.0f} ms later"


_TEXT = (
    "The arm in this report is simulated: the catalogue's arm with rotors, friction and sensor "
    "noise like those of real ones, and with lengths and zero positions slightly off. Its twin is "
    "the catalogue's arm without these errors; it learned friction and model bias from one "
    "undisturbed run. Recordings of real arms are evaluated by the same functions: armtwin "
    "validate, armtwin detect."
)
