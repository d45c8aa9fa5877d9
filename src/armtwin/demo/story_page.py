"""The story as one report."""

from __future__ import annotations

from collections.abc import Iterator

from armtwin.demo.story import PUSH, Story
from armtwin.detection import page as collisions
from armtwin.report.page import Page, Section, Text, Verdict
from armtwin.validation import page as validation

MILLI = 1e3


def page(story: Story) -> Page:
    """Return the report: the figures, then the run and the proof in full."""
    run = collisions.page(story.plant, story.run, story.felt)
    proof = validation.page(story.check)
    return Page(
        title=f"{story.arm.title or story.arm.name} and its twin",
        subtitle="followed a circle, was pushed, was felt, and checked against its twin",
        verdict=Verdict(not story.failures, "; ".join(story.failures) or "all went as it should"),
        facts=tuple(facts(story)),
        sections=(
            Section("What this is", (Text(_TEXT),)),
            *run.sections,
            *(Section(f"Proof: {s.title.lower()}", s.parts) for s in proof.sections),
        ),
        settings=(*run.settings, *proof.settings),
    )


def facts(story: Story) -> Iterator[tuple[str, str]]:
    """Yield the story's figures, named."""
    before, after = story.tracking
    yield "Tool off its path before the push", f"{before * MILLI:.3g} mm RMS"
    yield "Tool off its path after it", f"{after * MILLI:.3g} mm at most"
    yield "Push", f"{PUSH.torque:g} Nm on joint {PUSH.joint} at {PUSH.start:g} s"
    yield "Felt", _felt(story)
    for row in story.check.table:
        if row.signal == "position":
            yield "Twin's tool off the recorded one", f"{row.rmse * MILLI:.3g} mm RMS"
    yield "FMU against Python over the run", f"{story.fmu_gap:.1e} m at most"


def _felt(story: Story) -> str:
    if story.delay is None:
        return "not at all"
    alarm = next(a for a in story.felt.alarms if a.time >= PUSH.start)
    return f"{alarm.torque:.1f} Nm on joint {alarm.joint}, {story.delay * 1e3:.0f} ms later"


_TEXT = (
    "The arm in this report is simulated: the catalogue's arm with rotors, friction and sensor "
    "noise like those of real ones, and with lengths and zero positions slightly off. Its twin is "
    "the catalogue's arm, which knows nothing of that; it learned friction and model bias from one "
    "undisturbed run. A recording of a real arm takes the same way: armtwin validate, armtwin "
    "detect."
)
