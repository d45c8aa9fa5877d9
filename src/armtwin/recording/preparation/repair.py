"""Repair of a draft's clock. Every function returns the steps that it took."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import ClockError
from armtwin.recording.draft import Draft
from armtwin.recording.preparation import clock
from armtwin.recording.start_time import start_time
from armtwin.report.numbers import counted

USUAL_RATES = (10, 20, 25, 50, 100, 125, 200, 250, 500, 1000)
"""Rows per second of common recorders and controllers."""


@dataclass(frozen=True)
class Step:
    """One step of a preparation: its name, what it did, and to how many rows or cells."""

    name: str
    what: str
    count: int = 0

    def __str__(self) -> str:
        """Return the step as a line."""
        return f"{self.name}: {self.what}"


def drop_rows_without_time(draft: Draft) -> list[Step]:
    """Drop rows whose time is not a number."""
    good = np.isfinite(draft.time)
    lost = int((~good).sum())
    if not lost:
        return []
    if lost == good.size:
        raise ClockError(f"{draft.origin}: no row has a time; name the time column in a mapping")
    draft.take(np.flatnonzero(good))
    return [Step("time", f"left out {counted(lost, 'row')} without a time stamp", lost)]


def sort_rows(draft: Draft) -> list[Step]:
    """Sort rows by their time stamps.

    Raises:
        ClockError: the clock starts again, so that several runs would be shuffled together.
    """
    back = np.flatnonzero(np.diff(draft.time) < 0) + 1
    if not back.size:
        return []
    order = np.argsort(draft.time, kind="stable")
    part = np.searchsorted(back, np.arange(draft.time.size), "right")
    changes = int((np.diff(part[order]) != 0).sum())
    if back.size <= 20 and changes > 10 * (back.size + 1):
        raise ClockError(
            f"{draft.origin}: time starts again at row {back[0] + 1}: the file holds "
            f"{back.size + 1} runs; cut it there, or number the runs in a column named 'run'"
        )
    moved = int((order != np.arange(order.size)).sum())
    draft.take(order)
    return [Step("order", f"sorted {counted(moved, 'row')} by time", moved)]


def drop_repeats(draft: Draft) -> list[Step]:
    """Drop rows that repeat the row before, in time and in every value."""
    same = np.concatenate([[False], np.diff(draft.time) == 0])
    for values in draft.data.values():
        if same.any():
            equal = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
            same[1:] &= equal
    return _leave_out(draft, same, "that repeat the row before")


def drop_same_stamps(draft: Draft) -> list[Step]:
    """Drop rows with the time stamp of the row before but other values."""
    same = np.concatenate([[False], np.diff(draft.time) == 0])
    return _leave_out(draft, same, "with the time stamp of the row before (the first is kept)")


def _leave_out(draft: Draft, rows: NDArray[np.bool_], which: str) -> list[Step]:
    count = int(rows.sum())
    if not count:
        return []
    draft.take(np.flatnonzero(~rows))
    return [Step("repeated stamps", f"left out {counted(count, 'row')} {which}", count)]


def time_by_rows(draft: Draft, rate: float | None) -> list[Step]:
    """Replace the stamps of rows that came in bursts, or have no clock, by even ones.

    The step is that of ``rate`` where it fits the mean rate within 10 %, else that of the mean
    rate itself: of the nearest usual rate within 2 %, and what one burst more or less makes.
    """
    rows = draft.time.size
    if not draft.timed:
        if rate is None:
            raise ClockError(
                f"{draft.origin}: rows have no time; give their rate (rows per second)"
            )
        draft.timed, draft.time = True, np.arange(rows) / rate
        return [Step("clock", f"rows have no time: took 1/{rate:g} s a row", rows)]
    if not clock.is_bunched(draft.time):
        return []
    duration = float(draft.time[-1] - draft.time[0])
    mean = (rows - 1) / duration
    usual = min(USUAL_RATES, key=lambda one: abs(one - mean))
    slack = 0.02 + float(np.diff(draft.time).max()) / duration
    chosen = float(usual) if abs(usual / mean - 1) < slack else mean
    if rate is not None and abs(rate / mean - 1) < 0.1:
        chosen = rate
    draft.time = np.arange(rows) / chosen
    what = (
        f"stamps are bunched (mean {mean:.4g} rows a second): took {1000 / chosen:.6g} ms a row, "
        "from zero"
    )
    return [Step("clock", what, rows)]


def clock_from_zero(draft: Draft) -> list[Step]:
    """Shift time so that it begins at zero."""
    start = float(draft.time[0])
    if start == 0:
        return []
    known = start_time(draft)
    draft.started = None if known is None else known[0].isoformat()
    draft.time = draft.time - start
    return [Step("clock", f"counted from zero (first stamp was {start:.6f} s)", draft.time.size)]
