"""Time stamps: faults, nominal rate, bursts, uniformity and gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import ClockError
from armtwin.spatial import Array

Rows = NDArray[np.intp]

BUNCHED_STEP, BUNCHED_SHARE, PAUSE_SHARE = 0.25, 0.3, 0.01
"""Limits of ``is_bunched``: part of the mean step, share of steps below it, share of pauses."""
FASTEST_STEP = 5e-4
"""Seconds; rows that follow each other faster than this came in a burst."""
LONG_GAP = 10.0
"""Steps; rows further apart than this many are not joined as if signals were smooth there."""
GAP_STEPS = 1.5
"""Nominal steps; a longer step means that rows are missing."""


@dataclass(frozen=True)
class ClockFaults:
    """Rows (from 0) whose time is no number, lies before the row before, or repeats it."""

    missing: Rows
    backwards: Rows
    repeated: Rows

    def __bool__(self) -> bool:
        """Return whether there is any fault."""
        return bool(self.missing.size or self.backwards.size or self.repeated.size)

    def __str__(self) -> str:
        """Return what is wrong and where, rows counted from 1 as in a spreadsheet."""
        parts = [
            f"{rows.size} {what} at {'row' if rows.size == 1 else 'rows'} {_numbers(rows)}"
            for rows, what in (
                (self.missing, "without a time"),
                (self.backwards, "back in time"),
                (self.repeated, "repeated"),
            )
            if rows.size
        ]
        return ", ".join(parts)


def _numbers(rows: Rows, most: int = 5) -> str:
    text = ", ".join(str(row + 1) for row in rows[:most])
    return text + (", ..." if rows.size > most else "")


def find_faults(time: Array) -> ClockFaults:
    """Return every row whose time stamp breaks a strictly increasing clock."""
    steps = np.diff(time)
    return ClockFaults(
        np.flatnonzero(~np.isfinite(time)),
        np.flatnonzero(steps < 0) + 1,
        np.flatnonzero(steps == 0) + 1,
    )


def check_clock(time: Array, origin: str) -> None:
    """Raise ClockError where the time stamps do not strictly increase."""
    faults = find_faults(time)
    if faults:
        raise ClockError(
            f"{origin}: time must strictly increase over its {time.size} rows; found {faults}; "
            "repair it with 'armtwin prepare' (armtwin.prepare), which says what it changes"
        )


def is_bunched(time: Array) -> bool:
    """Return whether rows came in bursts, so that their stamps are not the times of measurement.

    True where the median step is faster than any recorder's (0.5 ms), more than 30 % of the steps
    are shorter than a quarter of the mean step, and at least three and 1 % are longer than it (a
    few long steps are pauses).
    """
    if time.size < 10:
        return False
    steps = np.diff(time)
    mean = (time[-1] - time[0]) / steps.size
    pauses = int((steps > mean).sum())
    is_fast = bool(np.median(steps) < FASTEST_STEP)
    is_burst = bool(np.mean(steps < BUNCHED_STEP * mean) > BUNCHED_SHARE)
    return is_fast and is_burst and pauses >= max(3, PAUSE_SHARE * steps.size)


def nominal_rate(time: Array) -> float:
    """Return rows per second: of the median step, or of the mean one where rows are bunched."""
    if time.size < 2:
        return float("nan")
    mean = float((time[-1] - time[0]) / (time.size - 1))
    return 1 / (mean if is_bunched(time) else float(np.median(np.diff(time))))


def is_uniform(time: Array, tolerance: float = 0.01) -> bool:
    """Return whether no stamp is further from an even grid than ``tolerance`` of a step."""
    if time.size < 3:
        return True
    step = (time[-1] - time[0]) / (time.size - 1)
    even = time[0] + step * np.arange(time.size)
    resolution = 4 * float(np.spacing(np.abs(time).max()))
    return bool(np.abs(time - even).max() <= max(tolerance * step, resolution))


def gaps(time: Array) -> Array:
    """Return the steps longer than 1.5 nominal ones [s]: rows are missing there."""
    steps = np.diff(time)
    return np.asarray(steps[steps > GAP_STEPS / nominal_rate(time)])


def on_lines(at: Array, time: Array, values: Array) -> Array:
    """Return values at other times (m,), on lines between theirs; NaN outside and in long gaps.

    Args:
        at: the times wanted (m,), in the unit of ``time``.
        time: times of the values (n,), not decreasing.
        values: (n,).
    """
    found = np.interp(at, time, values, np.nan, np.nan)
    if time.size < 3:
        return found
    after = np.clip(np.searchsorted(time, at), 1, time.size - 1)
    wide = (time[after] - time[after - 1]) * nominal_rate(time) > LONG_GAP
    on_a_row = (at == time[after]) | (at == time[after - 1])
    return np.where(wide & ~on_a_row, np.nan, found)
