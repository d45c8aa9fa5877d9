"""Rows of a live twin: one an hour while ``armtwin mirror`` runs.

A row holds the errors of the tool and of the torques, the joints' temperatures, the energy from the
supply and the contacts of its interval. Friction is not among them: it takes a recording with
enough motion (``armtwin record``, then ``armtwin history add``).
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np

from armtwin.errors import ArmTwinError, InputError
from armtwin.history.history import History
from armtwin.history.row import HistoryRow
from armtwin.robots.sample import Sample
from armtwin.robots.ur.live_twin import Twin
from armtwin.robots.ur.protocol.client import Batch
from armtwin.spatial import Array

INTERVAL = 3600.0
"""Time between rows [s]."""
SHORTEST = 1.0
"""An interval that is cut shorter than this by the end of the mirror makes no row [s]."""
LOG = logging.getLogger("armtwin.history")


def wall_clock() -> datetime:
    """Return the time of this machine in UTC."""
    return datetime.now(UTC)


class LiveRows:
    """Adds a row to a history at every interval of a live twin.

    Args:
        history: where to.
        twin: the twin; its samples are followed from now on.
        serial: serial number of the robot.
        origin: address of the robot.
        interval: time between rows [s].
        clock: returns the time in UTC.

    Attributes:
        serial: serial number of the robot.
        added: rows added so far.
        problems: why rows could not be added; the mirror goes on without them.
    """

    def __init__(
        self,
        history: History,
        twin: Twin,
        *,
        serial: str,
        origin: str = "",
        interval: float = INTERVAL,
        clock: Callable[[], datetime] = wall_clock,
    ) -> None:
        if not (np.isfinite(interval) and interval > 0):
            raise InputError(f"an interval is a number of seconds above 0; got {interval}")
        if not serial.strip():
            raise InputError("a live row needs the robot's serial number (--serial)")
        self._history, self._twin, self._clock = history, twin, clock
        self.serial, self._origin, self._interval = serial.strip(), origin, float(interval)
        self.added, self.problems = 0, list[str]()
        twin.on_sample = self._look
        self._begin()

    def _begin(self) -> None:
        """Start an interval."""
        self._start = self._clock()
        dof = self._twin.arm.dof
        self._energy, self._contacts = self._twin.energy, self._twin.monitor.contacts
        self._samples, self._far = 0, 0.0
        self._sums = {name: np.zeros(dof) for name in ("temperature", "torque")}
        self._counts = {name: np.zeros(dof) for name in ("temperature", "torque")}
        self._pose, self._poses = np.zeros(2), 0

    def _look(self, sample: Sample) -> None:
        """Take a sample into the sums of the interval."""
        self._samples += 1
        self._sum("temperature", sample.temperature)
        self._sum("torque", (sample.tau - sample.expected_tau) ** 2)
        error = np.array(sample.pose_error)
        if np.isfinite(error).all():
            self._pose += error**2
            self._poses += 1
            self._far = max(self._far, float(error[0]))

    def _sum(self, name: str, values: Array) -> None:
        known = np.isfinite(values)
        self._sums[name] += np.where(known, values, 0.0)
        self._counts[name] += known

    def add(self, batch: Batch | None = None) -> None:
        """Add a row where the interval is over; call it with every batch that the twin has seen."""
        if (self._clock() - self._start).total_seconds() >= self._interval:
            self.finish()

    def finish(self) -> None:
        """Add a row for the interval so far, and start the next.

        A row that cannot be written is noted in ``problems`` and logged, not raised: the mirror
        of a robot does not end because a disk is full.
        """
        seconds = (self._clock() - self._start).total_seconds()
        if self._samples and seconds >= min(SHORTEST, self._interval):
            try:
                self._history.add_row(self._row(seconds))
                self.added += 1
            except (ArmTwinError, OSError) as error:
                self.problems.append(f"no row for {self._start:%Y-%m-%d %H:%M} UTC: {error}")
                LOG.warning("%s", self.problems[-1])
        self._begin()

    def _row(self, seconds: float) -> HistoryRow:
        """Return the row of the interval so far, which lasted some seconds."""
        twin, now = self._twin, self._clock()
        label = f"{self.serial}\0{self._start.isoformat()}\0{now.isoformat()}\0{self._samples}"
        tool, angle = np.sqrt(self._pose / self._poses) if self._poses else (None, None)
        return HistoryRow(
            hashlib.sha256(label.encode()).hexdigest(), self.serial, twin.arm.name, twin.arm.dof,
            self._start, "clock of the mirroring machine", now, kind="live", origin=self._origin,
            duration=seconds, temperature=self._mean("temperature"),
            tool_error=None if tool is None else float(tool),
            tool_error_max=self._far if self._poses else None,
            angle_error=None if angle is None else float(angle),
            torque_error=self._mean("torque", root=True),
            energy=twin.energy - self._energy if np.isfinite(twin.energy) else None,
            contacts=twin.monitor.contacts - self._contacts,
        )  # fmt: skip

    def _mean(self, name: str, *, root: bool = False) -> tuple[float | None, ...] | None:
        counts = self._counts[name]
        if not counts.any():
            return None
        mean = self._sums[name] / np.maximum(counts, 1)
        values = np.sqrt(mean) if root else mean
        return tuple(float(v) if n else None for v, n in zip(values, counts, strict=True))
