"""How long a sample takes from the robot's clock to the end of our work on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array

BIN, BINS = 1e-4, 2000
WINDOW = 5000
"""Samples after which the fastest way seen is looked for anew, for clocks that drift."""


class Latency:
    r"""Counts how late samples are done with, against the fastest of the recent ones.

    The robot's clock and ours start at different times, so the fastest way is taken to cost its
    own time on this machine and nothing on the network:

    .. math:: l_k = (done_k - stamp_k) - \min_i (arrival_i - stamp_i)
    """

    def __init__(self) -> None:
        self._counts: NDArray[np.int64] = np.zeros(BINS, np.int64)
        self._best: float | None = None
        self._next: float | None = None
        self._seen = 0

    def add(self, stamps: Array, arrivals: Array, done: float) -> None:
        """Count samples with the robot's stamps, their arrivals and the end of the work [s]."""
        ways = arrivals - stamps
        fastest = float(ways.min())
        if self._best is None or abs(fastest - self._best) > 1.0:
            self._best = self._next = fastest
        self._best = min(self._best, fastest)
        self._next = fastest if self._next is None else min(self._next, fastest)
        self._seen += len(stamps)
        if self._seen > WINDOW:
            self._best, self._next, self._seen = self._next, None, 0
        late = done - stamps - self._best
        bins = np.clip(late / BIN, 0, BINS - 1).astype(np.int64)
        np.add.at(self._counts, bins, 1)

    def at(self, share: float) -> float:
        """Return the latency that ``share`` of the samples (0 to 1) do not exceed [s]."""
        total = int(self._counts.sum())
        if not total:
            return 0.0
        place = int(np.searchsorted(np.cumsum(self._counts), share * total))
        return (min(place, BINS - 1) + 1) * BIN
