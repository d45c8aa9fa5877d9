"""Sessions of work: runs whose clocks continue, and the time since work began.

Gears are cold where a session begins. A run belongs to the session of the run before it where its
clock continues that run's clock after a pause of less than ``PAUSE``. Clocks of runs that overlap
(each file counts from zero) say nothing about each other: each run is then a session of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armtwin.identification.data.runs import IdentificationRun

PAUSE = 4 * 3600.0
"""Longest pause within a session [s]; gears cool down in an hour or two."""
EPOCH = 9.4e8
"""Clocks beyond this count seconds since 1970: their sessions are dated."""


@dataclass(frozen=True)
class WorkSession:
    """The session of one run.

    Attributes:
        number: of the session, from 0.
        before: time from its beginning to the run's first row [s].
        dated: whether the clock counts from 1970, so that two sessions lie on known days.
    """

    number: int
    before: float
    dated: bool


def sessions(runs: Sequence[IdentificationRun]) -> list[WorkSession]:
    """Return the session of every run, in the order of the runs."""
    order = sorted(range(len(runs)), key=lambda k: runs[k].start)
    ends = [run.start + float(run.time[-1]) for run in runs]
    pairs = list(zip(order, order[1:], strict=False))
    dated = bool(runs) and all(run.start > EPOCH for run in runs)
    if any(runs[later].start < ends[first] for first, later in pairs):
        return [WorkSession(k, 0.0, False) for k in range(len(runs))]
    found: dict[int, WorkSession] = {}
    number, begin = 0, 0.0
    for place, k in enumerate(order):
        if place == 0 or runs[k].start - ends[order[place - 1]] > PAUSE:
            number, begin = number + (place > 0), runs[k].start
        found[k] = WorkSession(number, runs[k].start - begin, dated)
    return [found[k] for k in range(len(runs))]
