"""One clock for a recording, from a controller's that may repeat itself, jump and start anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.link.rtde.statistics import Coverage
from armtwin.spatial import Array

SMALLEST_STEP = 1e-4
"""Time goes on by at least this where the robot's clock was set [s]."""


class Timeline:
    """Turns time stamps into times from zero that strictly increase."""

    def __init__(self) -> None:
        self._offset: float | None = None
        self._last = self._arrival = 0.0
        self._stamp = (0.0, 0.0)
        self._coverage = Coverage()
        self.repeats = self.jumps = 0

    def add(self, stamps: Array, arrivals: Array) -> tuple[NDArray[np.intp], Array]:
        """Return which of some samples to keep, and their times [s], strictly increasing."""
        rows = np.flatnonzero(np.isfinite(stamps))
        self.repeats += len(stamps) - len(rows)
        if not len(rows):
            return rows, np.empty(0)
        sets = self._clock_sets(stamps[rows], arrivals[rows])
        kept, time = [], []
        for row, jumped in zip(rows.tolist(), sets.tolist(), strict=True):
            now = self._next(float(stamps[row]), float(arrivals[row]), jumped)
            if now is not None:
                kept.append(row)
                time.append(now)
        return np.array(kept, np.intp), np.array(time)

    def _clock_sets(self, stamps: Array, arrivals: Array) -> NDArray[np.bool_]:
        """Return before which samples the robot's clock was set (n,)."""
        if self._offset is None:
            self._offset, self._last = -float(stamps[0]), -1e-9
            self._arrival = float(arrivals[0])
            self._stamp = float(stamps[0]), float(arrivals[0])
        steps = np.diff(stamps, prepend=self._stamp[0])
        waits = np.diff(arrivals, prepend=self._stamp[1])
        self._stamp = float(stamps[-1]), float(arrivals[-1])
        sets = self._coverage.clock_sets(steps, waits)
        self._coverage.add(steps, waits, sets, period=0.0)
        return sets

    def _next(self, stamp: float, arrival: float, jumped: bool) -> float | None:
        """Return the time of a sample [s]; None if its stamp had come before."""
        assert self._offset is not None
        if jumped:
            self.jumps += 1
            waited = max(arrival - self._arrival, SMALLEST_STEP)
            self._offset = self._last + waited - stamp
        now = stamp + self._offset
        if now <= self._last:
            self.repeats += 1
            return None
        self._last, self._arrival = now, arrival
        return now

    def account(self) -> tuple[str, ...]:
        """Return what was done to the robot's clock."""
        lines = []
        if self.repeats:
            lines.append(f"{self.repeats} samples with a time stamp that had come before left out")
        if self.jumps:
            lines.append(
                f"the robot's clock was set {self.jumps} times; time goes on by arrival there"
            )
        if self._coverage.uncovered:
            lines.append(
                f"{self._coverage.uncovered:.1f} s by the wall clock are without samples: the "
                "robot was away, stood still or ran slowly"
            )
        return tuple(lines)
