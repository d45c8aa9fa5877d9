"""The job "play": a recording for the timeline; contacts follow once it can be played."""

from __future__ import annotations

from armtwin.app.jobs.job_parameters import PlayJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.recording.read import read_recording
from armtwin.viewer import marks
from armtwin.viewer.playback import Playback
from armtwin.viewer.results.page_data import facts


def work(job: JobContext[PlayJob]) -> Outcome:
    """Write the recording's arrays, show them, then mark contacts and stops."""
    parameters, arm = job.parameters, job.arm()
    run = read_recording(
        job.recording(parameters.recording),
        arm,
        mapping=job.mapping(),
        angles=parameters.angles,
        run=parameters.run,
        on_progress=job.on_progress,
    )
    job.report_step("writing what is played")
    playback = Playback.write(job.folder, arm, run).noted(stops=marks.stops(run))
    rate = f"{run.rate:.4g} Hz" if run.timed else "rows without a clock"
    outcome = Outcome(
        verdict=f"{len(run)} rows, {rate}.",
        facts=facts([("Recording", run.origin or "recording"), ("Arm", arm.title or arm.name)]),
        notes=tuple(run.notes),
    )
    job.show(outcome)
    job.report_step("detecting contacts")
    found, note = marks.contacts(arm, run)
    notes = [*playback.info["notes"], *([note] if note else [])]
    playback.noted(contacts=found, notes=notes)
    return outcome.with_note(note) if note else outcome
