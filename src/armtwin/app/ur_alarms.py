"""Alarms of a UR robot: what the twin's watch notices, on the body's clock, until it is over."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from armtwin.app.body import BodyAlarm
from armtwin.link.rtde.sample import Sample
from armtwin.link.rtde.watch import Alarm, Watch

ENDED_BEFORE = 0.3
"""The watch calls a contact over so long after it was last felt [s]."""


class UrAlarms:
    """Turns a watch's alarms into those of a body.

    Args:
        watch: which is shown every sample.
        alarms: where the body's alarms are kept.
    """

    def __init__(self, watch: Watch, alarms: deque[BodyAlarm]) -> None:
        self._watch, self._kept = watch, alarms
        self._seen: Alarm | None = None
        self._lasting: BodyAlarm | None = None

    def follow(self, sample: Sample, now: float) -> None:
        """Take what the watch has noticed up to a sample, which is at ``now`` for the body [s]."""
        for alarm in self._fresh():
            self._add(alarm, now - (sample.time - alarm.time))
        if self._lasting is None:
            return
        felt = float(sample.residual[self._lasting.joint - 1])
        if abs(felt) > abs(self._lasting.torque):
            text = f"{felt:.1f} Nm at joint {self._lasting.joint}"
            self._replace(replace(self._lasting, torque=felt, text=text))
        if not self._watch.touching:
            begin = self._lasting.time
            self._replace(replace(self._lasting, end=max(begin, now - ENDED_BEFORE)))
            self._lasting = None

    def _fresh(self) -> list[Alarm]:
        """Return the alarms since the last call, oldest first."""
        found: list[Alarm] = []
        for alarm in reversed(self._watch.alarms):
            if alarm is self._seen:
                break
            found.append(alarm)
        if found:
            self._seen = found[0]
        return found[::-1]

    def _add(self, alarm: Alarm, time: float) -> None:
        if alarm.kind == "contact":
            self._lasting = BodyAlarm(time, None, alarm.joint, alarm.torque, alarm.text)
            self._kept.append(self._lasting)
        else:
            self._kept.append(BodyAlarm(time, time, 0, 0.0, alarm.text))

    def _replace(self, alarm: BodyAlarm) -> None:
        """Put an alarm in the place of its former self, unless that has been forgotten."""
        for place in range(len(self._kept) - 1, -1, -1):
            if self._kept[place] is self._lasting:
                self._kept[place] = alarm
                break
        self._lasting = alarm
