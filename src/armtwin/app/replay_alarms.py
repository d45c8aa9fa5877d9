"""Contacts in a recording that is being played, found beside the playing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np

from armtwin.errors import ArmTwinError
from armtwin.model.arm import Arm
from armtwin.observe.alarms import Alarm
from armtwin.observe.detect import Detection, detect
from armtwin.record.recording import Recording
from armtwin.spatial import Array

MOST_ROWS = 300_000
"""Longer recordings are played without looking for contacts."""


class ReplayAlarms:
    """What a detector says of a recording, by the time since its first row.

    Args:
        arm: the arm.
        recording: what is played.
        start: time of the first row that is played, on the recording's clock [s].

    Attributes:
        trouble: why there are no residuals, or none to rely on: too long a recording, no
            torques in it, a model that does not explain it.
        threshold: torque of every joint that is a contact (dof,) [Nm]; None until known.
    """

    def __init__(self, arm: Arm, recording: Recording, start: float) -> None:
        self._arm, self._recording, self._start = arm, recording, start
        self._found: Detection | None = None
        self.trouble = ""
        self.threshold: Array | None = None

    async def find(self) -> None:
        """Look for contacts in a thread."""
        if len(self._recording) > MOST_ROWS:
            self.trouble = f"more than {MOST_ROWS} rows: contacts are not looked for"
            return
        try:
            found = await asyncio.to_thread(detect, self._arm, self._recording)
        except ArmTwinError as error:
            self.trouble = str(error)
            return
        middle = found.thresholds.joints.shape[0] // 2
        self.threshold = found.thresholds.joints[middle]
        self.trouble = found.doubt
        self._found = found

    def residual(self, position: float) -> Array | None:
        """Return the external torques (dof,) [Nm] at a place of the recording [s]."""
        if self._found is None:
            return None
        row = int(np.searchsorted(self._found.time, self._start + position + 1e-9, "right")) - 1
        values = self._found.residual[max(row, 0)]
        return values if np.isfinite(values).all() else None

    def between(self, before: float, now: float) -> list[Alarm]:
        """Return the contacts that begin after one place and up to another, with times of it."""
        if self._found is None:
            return []
        alarms = self._found.alarms
        return [self._moved(a) for a in alarms if before < a.time - self._start <= now]

    def _moved(self, alarm: Alarm) -> Alarm:
        return replace(alarm, time=alarm.time - self._start, end=alarm.end - self._start)
