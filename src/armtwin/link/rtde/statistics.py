"""What arrived and what did not: rate, gaps, repeats and jumps of a robot's samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array

BIN = 1e-4
"""Width of the bins that gaps are counted in [s]."""
BINS = 5000
JUMP = 1.0
"""A clock that runs ahead of its samples' arrival by more than this has been set [s]."""


class Statistics:
    """Counts over all samples of a robot; takes the same memory after a second and a day.

    Attributes:
        period: time between samples that was asked for [s].
        received: samples that came.
        missed: samples that the time stamps show to be missing.
        gaps: how often some were missing.
        longest: longest time between two arrivals [s].
        repeats: samples whose time stamp had come before.
        jumps: how often the robot's clock was set, back or ahead.
        reconnections: how often the connection was made anew.
        bad_packets: packets that could not be read.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self.received = self.missed = self.gaps = self.repeats = self.jumps = 0
        self.reconnections = self.bad_packets = 0
        self.longest = self.rate = 0.0
        self._last: tuple[float, float] | None = None
        self._window: tuple[float, int] | None = None
        self._counts: NDArray[np.int64] = np.zeros(BINS, np.int64)

    def add(self, stamps: Array, arrivals: Array) -> None:
        """Count samples with the robot's time stamps (n,) and their arrivals (n,) [s]."""
        if not len(stamps):
            return
        self.received += len(stamps)
        self._measure_rate(float(arrivals[-1]))
        if self._last is not None:
            stamps = np.concatenate([[self._last[0]], stamps])
            arrivals = np.concatenate([[self._last[1]], arrivals])
        self._last = float(stamps[-1]), float(arrivals[-1])
        self._count(np.diff(np.asarray(stamps, float)), np.diff(arrivals))

    def _count(self, steps: Array, waits: Array) -> None:
        set_clock = (steps < 0) | (steps - waits > JUMP) | ~np.isfinite(steps)
        self.jumps += int(set_clock.sum())
        self.repeats += int((steps == 0).sum())
        wide = ~set_clock & (steps > 1.5 * self.period)
        self.gaps += int(wide.sum())
        self.missed += int((np.round(steps[wide] / self.period) - 1).sum())
        self.longest = max(self.longest, float(waits.max(initial=0.0)))
        bins = np.clip(waits / BIN, 0, BINS - 1).astype(np.int64)
        np.add.at(self._counts, bins, 1)

    def _measure_rate(self, now: float) -> None:
        if self._window is None:
            self._window = (now, self.received)
        elif now - self._window[0] >= 1.0:
            self.rate = (self.received - self._window[1]) / (now - self._window[0])
            self._window = (now, self.received)

    def wait(self, share: float) -> float:
        """Return the time between arrivals that ``share`` of them (0 to 1) do not exceed [s]."""
        total = int(self._counts.sum())
        if not total:
            return 0.0
        place = int(np.searchsorted(np.cumsum(self._counts), share * total))
        return (min(place, BINS - 1) + 1) * BIN

    @property
    def share(self) -> float:
        """Share of the samples that came, 0 to 1."""
        due = self.received - self.repeats + self.missed
        return (self.received - self.repeats) / due if due else 0.0
