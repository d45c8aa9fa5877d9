"""Rate, gaps, repeats, clock jumps and outages of a robot's samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.spatial import Array

LATENCY_BIN, LATENCY_BINS = 1e-4, 2000
"""Width of the bins [s] and their number: up to 0.2 s, the last bin holds what is later."""
WINDOW = 5000
"""Samples after which the smallest delay is determined again, for clocks that drift."""


class Latency:
    r"""Histogram of the latency of samples, relative to the fastest recent one.

    The robot's clock and ours start at different times, so the smallest delay counts as zero:

    .. math:: l_k = (done_k - stamp_k) - \min_i (arrival_i - stamp_i)
    """

    def __init__(self) -> None:
        self._counts: NDArray[np.int64] = np.zeros(LATENCY_BINS, np.int64)
        self._best: float | None = None
        self._next: float | None = None
        self._seen = 0

    def add(self, stamps: Array, arrivals: Array, done: float) -> None:
        """Count samples.

        Args:
            stamps: the robot's time of every sample (n,) [s].
            arrivals: when they arrived (n,) [s, monotonic clock].
            done: when they were processed [s, monotonic clock].
        """
        fastest = float((arrivals - stamps).min())
        if self._best is None or abs(fastest - self._best) > 1.0:
            self._best = self._next = fastest
        self._best = min(self._best, fastest)
        self._next = fastest if self._next is None else min(self._next, fastest)
        self._seen += len(stamps)
        if self._seen > WINDOW:
            self._best, self._next, self._seen = self._next, None, 0
        late = done - stamps - self._best
        bins = np.clip(late / LATENCY_BIN, 0, LATENCY_BINS - 1).astype(np.int64)
        np.add.at(self._counts, bins, 1)

    def at(self, share: float) -> float:
        """Return the latency that ``share`` of the samples (0 to 1) do not exceed [s]."""
        total = int(self._counts.sum())
        if not total:
            return 0.0
        place = int(np.searchsorted(np.cumsum(self._counts), share * total))
        return (min(place, LATENCY_BINS - 1) + 1) * LATENCY_BIN


GAP_BIN = 1e-4
"""Width of the bins that gaps are counted in [s]."""
GAP_BINS = 5000
"""Their number: up to 0.5 s, the last bin holds what is longer."""
JUMP = 1.0
"""A clock that runs ahead of its samples' arrival by more than this has been set [s]."""
JITTER = 0.1
"""Uncovered wall-clock time up to this is arrival jitter of a busy machine, not an outage [s]."""


class Coverage:
    """Compares the time that a robot's stamps cover with the wall clock.

    Every sample covers the step from the stamp before; every arrival takes a wait by the wall
    clock. The sum of waits minus steps is the lag. It grows and shrinks again where samples are
    delayed and catch up. It grows for good where the robot was away, stood still or ran slowly.

    Attributes:
        lag: sum of waits minus covered steps [s].
        best: smallest lag so far [s].
    """

    def __init__(self) -> None:
        self.lag = self.best = 0.0

    def clock_sets(self, steps: Array, waits: Array) -> NDArray[np.bool_]:
        """Return where the clock was set, back or ahead, instead of running on (n,).

        A large step ahead after a pause is no set clock: samples were left out while the
        connection was held up, and the newest one arrives together with an old one.
        """
        found = np.asarray((steps < 0) | (steps - waits > JUMP) | ~np.isfinite(steps))
        if (found & (steps > 0)).any():
            lag = self.lag
            for k, (step, wait) in enumerate(zip(steps.tolist(), waits.tolist(), strict=True)):
                if found[k] and 0 < step < np.inf:
                    found[k] = step - wait - (lag - self.best) > JUMP
                lag += wait if found[k] else wait - step
        return found

    def add(self, steps: Array, waits: Array, sets: NDArray[np.bool_], period: float) -> None:
        """Count intervals between samples; a set clock covers at most one period.

        Args:
            steps: of the robot's clock (n,) [s].
            waits: between arrivals (n,) [s].
            sets: whether the robot's clock was set in the interval (n,).
            period: between samples [s].
        """
        if not len(steps):
            return
        covered = np.where(sets, np.minimum(waits, period), steps)
        lags = self.lag + np.cumsum(waits - covered)
        self.lag, self.best = float(lags[-1]), min(self.best, float(lags.min()))

    @property
    def uncovered(self) -> float:
        """Wall-clock time that no stamp covers [s]; 0 where jitter explains it."""
        lost = self.lag - self.best
        return lost if lost > JITTER else 0.0


class Statistics:
    """Counts over all samples of a robot, in constant memory.

    Attributes:
        period: requested time between samples [s].
        received: samples that came.
        missed: samples that the time stamps show to be missing.
        gaps: how often some were missing.
        longest: longest time between two arrivals [s].
        repeats: samples whose time stamp had come before.
        jumps: how often the robot's clock was set, back or ahead.
        reconnections: number of reconnections.
        bad_packets: packets that could not be read.
    """

    def __init__(self, period: float) -> None:
        self.period = period
        self.received = self.missed = self.gaps = self.repeats = self.jumps = 0
        self.reconnections = self.bad_packets = 0
        self.longest = self.rate = self._tail = 0.0
        self._coverage = Coverage()
        self._last: tuple[float, float] | None = None
        self._window: tuple[float, int] | None = None
        self._counts: NDArray[np.int64] = np.zeros(GAP_BINS, np.int64)

    def add(self, stamps: Array, arrivals: Array) -> None:
        """Count samples with the robot's time stamps (n,) and their arrivals (n,) [s]."""
        if not len(stamps):
            return
        self.received += len(stamps)
        self._tail = 0.0
        self._measure_rate(float(arrivals[-1]))
        if self._last is not None:
            stamps = np.concatenate([[self._last[0]], stamps])
            arrivals = np.concatenate([[self._last[1]], arrivals])
        self._last = float(stamps[-1]), float(arrivals[-1])
        self._count(np.diff(np.asarray(stamps, float)), np.diff(arrivals))

    def _count(self, steps: Array, waits: Array) -> None:
        set_clock = self._coverage.clock_sets(steps, waits)
        self._coverage.add(steps, waits, set_clock, self.period)
        self.jumps += int(set_clock.sum())
        self.repeats += int((steps == 0).sum())
        wide = ~set_clock & (steps > 1.5 * self.period)
        self.gaps += int(wide.sum())
        self.missed += int((np.round(steps[wide] / self.period) - 1).sum())
        self.longest = max(self.longest, float(waits.max(initial=0.0)))
        bins = np.clip(waits / GAP_BIN, 0, GAP_BINS - 1).astype(np.int64)
        np.add.at(self._counts, bins, 1)

    def until(self, now: float) -> None:
        """Count the time since the last arrival as well, up to ``now`` (monotonic clock) [s]."""
        if self._last is not None:
            self._tail = max(0.0, now - self._last[1] - self.period)
            self.longest = max(self.longest, self._tail)

    def since_last(self, now: float) -> float:
        """Return the time since the last arrival [s]; 0 before the first."""
        return 0.0 if self._last is None else now - self._last[1]

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
        return (min(place, GAP_BINS - 1) + 1) * GAP_BIN

    @property
    def outage(self) -> float:
        """Time by the wall clock for which no sample ever came [s].

        The robot was away, stood still, or its clock ran slower than the wall clock. Samples that
        its time stamps show to be missing are in ``missed`` instead.
        """
        tail = self._tail if self._tail > JITTER else 0.0
        return self._coverage.uncovered + tail

    @property
    def missing(self) -> int:
        """Samples that were due and did not come: missed ones and those of outages."""
        return self.missed + round(self.outage / self.period)

    @property
    def share(self) -> float:
        """Share of the samples that came, 0 to 1, of those due by the wall clock."""
        came = self.received - self.repeats
        due = came + self.missing
        return came / due if due else 0.0
