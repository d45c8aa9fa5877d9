"""One clock for a recording, out of a controller's that may repeat itself, jump and start anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array


class Timeline:
    """Turns time stamps into times from zero that strictly increase."""

    def __init__(self) -> None:
        self._offset: float | None = None
        self._last = self._arrival = 0.0
        self.repeats = self.jumps = 0

    def add(self, stamps: Array, arrivals: Array) -> tuple[NDArray[np.intp], Array]:
        """Return which of some samples to keep, and their times [s], strictly increasing."""
        kept, time = [], []
        for row, (stamp, arrival) in enumerate(
            zip(stamps.tolist(), arrivals.tolist(), strict=True)
        ):
            if self._offset is None:
                self._offset, self._arrival, self._last = -stamp, arrival, -1e-9
            now, waited = stamp + self._offset, arrival - self._arrival
            if now == self._last or not np.isfinite(now):
                self.repeats += 1
                continue
            if now < self._last or now - self._last > waited + 1.0:
                self.jumps += 1
                self._offset += self._last + max(waited, 1e-4) - now
                now = stamp + self._offset
            if now <= self._last:
                self.repeats += 1
                continue
            self._last, self._arrival = now, arrival
            kept.append(row)
            time.append(now)
        return np.array(kept, np.intp), np.array(time)

    def account(self) -> tuple[str, ...]:
        """Return what was done to the robot's clock."""
        lines = []
        if self.repeats:
            lines.append(f"{self.repeats} samples with a time stamp that had come before left out")
        if self.jumps:
            lines.append(
                f"the robot's clock was set {self.jumps} times; time goes on by arrival there"
            )
        return tuple(lines)
