"""``Result.view``: a result in the viewer, the same page as that of ``view`` with its own parts."""

from __future__ import annotations

import re
from typing import Any

from armtwin.calibration.result import Calibration
from armtwin.errors import InputError
from armtwin.identification.result.fit import Fit
from armtwin.model.arm import Arm
from armtwin.progress import OnProgress, report_step
from armtwin.recording.read import RecordingLike, as_recording
from armtwin.report.result import Result
from armtwin.spatial import Array
from armtwin.validation.result import Check
from armtwin.validation.validate import validate
from armtwin.viewer import marks
from armtwin.viewer.adjustment.identified_intervals import Identified, identified_intervals
from armtwin.viewer.results.page_data import page_data
from armtwin.viewer.results.played import Played, played
from armtwin.viewer.view import Shown, View, build_view, view_check

GHOST = "ghost.q"
"""Array with the ghost's joints, as ``web/src/file/drawing.ts`` reads it."""


def result_view(
    result: Result, recording: RecordingLike | None = None, on_progress: OnProgress | None = None
) -> View:
    """Return the view of a result.

    A check is shown as ``view(arm, recording)`` shows it. Of other results the page is shown
    beside the scene, and their motion is played; where something was measured, the twin is
    compared with it.

    Args:
        result: the result.
        recording: what is played with its arm, in place of its own recording.
        on_progress: called before each step; raise from it to cancel.

    Raises:
        InputError: the result has no motion.
    """
    own = played(result)
    if own is None:
        raise InputError(
            f"{type(result).__name__} has no motion to play; in a notebook the result shows its "
            'page, and report("page.html") writes it'
        )
    if recording is not None:
        own = Played(own.arm, as_recording(recording, own.arm))
    if isinstance(result, Check) and recording is None:
        return view_check(result, on_progress=on_progress)
    report_step(on_progress, "comparing the twin with what is played", 0.0)
    check = None if own.recording is None else validate(own.arm, own.recording)
    found = marks.contact_marks(own.alarms, own.recording) if own.recording else []
    arm = check.arm if check else own.arm
    known, notes = _identified(arm, result)
    return build_view(
        arm, check, shown=Shown(_described(result, own), found, _arrays(own)), identified=known,
        notes=notes, on_progress=on_progress,
    )  # fmt: skip


def _identified(arm: Arm, result: Result) -> tuple[tuple[Identified, ...], tuple[str, ...]]:
    """Return the result where sliders cover its intervals, or why they do not."""
    if not isinstance(result, Fit | Calibration):
        return (), ()
    try:
        identified_intervals(arm, result)
    except InputError as error:
        return (), (str(error),)
    return (result,), ()


def _arrays(own: Played) -> dict[str, Array]:
    """Return the ghost's joints and the further signals by the names of their arrays."""
    found = {f"result.{number}": one.values for number, one in enumerate(own.signals)}
    return found if own.ghost is None else {GHOST: own.ghost} | found


def _described(result: Result, own: Played) -> dict[str, Any]:
    page = result.page()
    charts = [
        {"array": f"result.{number}", "title": one.title, "unit": one.unit}
        for number, one in enumerate(own.signals)
    ]
    return {
        "kind": " ".join(re.findall("[A-Z][a-z]*", type(result).__name__)).capitalize(),
        "title": page.title,
        "ghost": own.ghost_name,
        "charts": charts,
        "page": page_data(page).model_dump(mode="json", exclude={"charts", "bars"}),
    }
