"""Marks on a recording's timeline: contacts that are detected, stops that were recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from armtwin.detection.alarms import Alarm
from armtwin.detection.detect import detect
from armtwin.detection.result import Detection
from armtwin.errors import ArmTwinError
from armtwin.model.arm import Arm
from armtwin.recording.recording import Recording
from armtwin.robots.ur_controller.state.modes import SafetyMode

MAX_MARKS = 200
"""Marks of a kind on the timeline; more would not be distinguishable."""
SAFETY = ("safety_mode", "safety_status")
"""Columns of UR controllers that hold a ``SafetyMode``."""
MOVING = (SafetyMode.NORMAL, SafetyMode.REDUCED, SafetyMode.RECOVERY)
"""Modes in which the arm may move."""


def contacts(
    arm: Arm, run: Recording, detection: Detection | None = None
) -> tuple[list[dict[str, Any]], str]:
    """Return the detected contacts as plain data, and why there are none where that failed.

    Times are from the recording's first row [s], joints from 0.

    Args:
        arm: the twin.
        run: the recording.
        detection: what was detected in it; None to detect now.
    """
    if not run.timed or not (run.has("tau") or run.has("current")):
        return [], ""
    try:
        alarms = (detection or detect(arm, run)).alarms
    except ArmTwinError as error:
        return [], f"contacts are not marked: {error}"
    return contact_marks(alarms, run), ""


def contact_marks(alarms: Sequence[Alarm], run: Recording) -> list[dict[str, Any]]:
    """Return detected contacts as plain data, the first ones of very many."""
    start = float(run.time[0])
    return [_contact(alarm, start) for alarm in alarms[:MAX_MARKS]]


def _contact(alarm: Alarm, start: float) -> dict[str, Any]:
    return {
        "time": alarm.time - start,
        "end": alarm.end - start,
        "joint": alarm.joint - 1,
        "torque": alarm.torque,
        "text": alarm.text,
    }


def stops(run: Recording) -> list[dict[str, Any]]:
    """Return when the controller's safety mode had stopped the arm, as plain data.

    Times are from the recording's first row [s].
    """
    name = next((name for name in SAFETY if name in run.columns), None)
    if name is None or not run.timed:
        return []
    return list(_spans(run.time - run.time[0], run[name]))[:MAX_MARKS]


def _spans(time: np.ndarray, modes: np.ndarray) -> Iterator[dict[str, Any]]:
    known = [int(mode) for mode in SafetyMode if mode not in MOVING]
    stopped = np.where(np.isin(modes, known), modes, 0)
    edges = np.flatnonzero(np.diff(stopped)) + 1
    for first, last in zip([0, *edges], [*edges, len(time)], strict=True):
        if stopped[first]:
            text = SafetyMode(int(stopped[first])).name.replace("_", " ").lower()
            yield {"time": float(time[first]), "end": float(time[last - 1]), "text": text}
