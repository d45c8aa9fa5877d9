"""Preparing a raw recording as input: the documents' steps, each with an account.

The steps: read and rename; degrees to radians; a clock that increases and counts from zero; gaps
closed; an even grid; export as ``time,q1,...,qn``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.recording.columns.names import counted
from armtwin.recording.draft import BURSTS, Draft
from armtwin.recording.preparation import clock
from armtwin.recording.preparation import repair as mending
from armtwin.recording.preparation.gaps import close_gaps
from armtwin.recording.preparation.repair import Step
from armtwin.recording.preparation.resample import (
    SamplingError,
    back_errors,
    check_grid,
    even_grid,
    leave_out_errors,
    resample,
)
from armtwin.recording.read import MappingLike, read_draft
from armtwin.recording.recording import Recording

RATE = 500.0
"""Rows per second that inputs are prepared at, as in the documents."""

ON_GRID = 1e-3
"""Share of a step by which stamps may be off the even grid and still count as on it."""


@dataclass(frozen=True)
class Prepared:
    """A recording ready for use and what was done to get it.

    Attributes:
        recording: even clock from zero, SI units, no gaps.
        steps: what was done, in order.
        errors: what resampling cost, by group: back at the original rows.
        bounds: how well left-out rows are told, by group: a bound for values between rows.
    """

    recording: Recording
    steps: tuple[Step, ...]
    errors: tuple[SamplingError, ...] = ()
    bounds: tuple[SamplingError, ...] = ()

    def save(
        self, path: str | Path, columns: tuple[str, ...] = ("q",), *, force: bool = False
    ) -> Path:
        """Write ``time,q1,...`` (or other groups, or all where none are named) to a file."""
        chosen = self.recording.select(*columns) if columns else self.recording
        return chosen.save(path, force=force)


def prepare(
    source: str | Path | Recording,
    *,
    arm: Arm | str | None = None,
    mapping: MappingLike | None = None,
    angles: str | None = None,
    rate: float | None = None,
    gaps: str = "interpolate",
    method: str = "auto",
    run: float | None = None,
) -> Prepared:
    """Return a recording with an even clock from zero, in SI units and without gaps.

    Args:
        source: a file of any kind that ``read_recording`` takes, or a recording.
        arm: the arm or its name, for the order of its joints.
        mapping: names of the file's columns, as in ``read_recording``.
        angles: "deg" or "rad"; without it headers and values decide.
        rate: rows per second, 500 where not given; also the step of rows whose stamps came in
            bursts, or that have none.
        gaps: "interpolate" empty cells, or "remove" their rows.
        method: "auto", "cubic", "pchip" or "linear" between rows (see ``preparation.resample``).
        run: which run, where the file holds several.

    Raises:
        RecordingError: the file cannot be read, or nothing is left of it.
        ClockError: the clock cannot be mended: it starts again, or there is none.
    """
    if rate is not None and not rate > 0:
        raise InputError(f"a rate is a positive number of rows per second, got {rate}")
    if isinstance(source, Recording):
        draft = _draft_of(source)
    else:
        draft = read_draft(source, arm, mapping, angles=angles, run=run, mend=True)
    steps = [Step("read", line) for line in draft.account if not line.startswith(BURSTS)]
    steps += _mend(draft, rate, gaps)
    even = draft.recording()
    check_grid(even.time, rate or RATE, len(even.columns))
    steps += _time_gaps(even, rate or RATE)
    return _resampled(even, steps, rate or RATE, method)


def _draft_of(recording: Recording) -> Draft:
    data, units = dict(recording.data), dict(recording.units)
    return Draft(
        recording.origin, recording.time, data, units, recording.arm, recording.timed,
        list(recording.account),
    )  # fmt: skip


def _mend(draft: Draft, rate: float | None, gaps: str) -> list[Step]:
    """Mend clock and gaps in place and return the steps."""
    steps = mending.drop_rows_without_time(draft)
    if draft.timed:
        steps += mending.sort_rows(draft)
    steps += mending.drop_repeats(draft)
    steps += mending.time_by_rows(draft, rate)
    steps += mending.drop_same_stamps(draft)
    steps += mending.clock_from_zero(draft)
    return steps + close_gaps(draft, gaps)


def _time_gaps(recording: Recording, rate: float) -> list[Step]:
    """Say where rows are missing altogether, and how many of the new ones bridge that."""
    found = clock.gaps(recording.time)
    if not found.size:
        return []
    grid = even_grid(0.0, recording.time[-1], rate)
    place = np.clip(np.searchsorted(recording.time, grid, "right") - 1, 0, len(recording) - 2)
    on_row = np.isclose(grid, recording.time[place], atol=1e-9)
    inside = np.diff(recording.time)[place] > clock.GAP_STEPS / recording.rate
    count = int((inside & ~on_row).sum())
    what = (
        f"{counted(int(found.size), 'gap')} between rows, the longest {found.max():.4g} s: "
        f"{counted(count, 'new row')} of {grid.size} are interpolated across them"
    )
    return [Step("missing rows", what, count)]


def _resampled(even: Recording, steps: list[Step], rate: float, method: str) -> Prepared:
    """Put the recording on the even grid, with the error that this causes."""
    grid = even_grid(even.time[0], even.time[-1], rate)
    if grid.size == len(even) and np.abs(grid - even.time).max() < ON_GRID / rate:
        exact = dataclasses.replace(even, time=grid)
        moved = 1e6 * np.abs(grid - even.time).max()
        detail = f", stamps moved by {moved:.2g} us at most" if moved else ""
        steps.append(Step("resampling", f"not needed: {1000 / rate:.6g} ms a row already{detail}"))
        return Prepared(exact.with_account(*_texts(steps)), tuple(steps))
    new = resample(even, rate, method=method)
    errors, bounds = back_errors(even, new, method=method), leave_out_errors(even, method=method)
    steps.append(
        Step("resampling", f"{len(even)} rows at {even.rate:.4g} Hz to {len(new)} at {rate:g} Hz "
             f"({method}); back at the old rows: {_worst(errors)}; left-out rows are told to "
             f"{_worst(bounds)}", len(new))
    )  # fmt: skip
    return Prepared(new.with_account(*_texts(steps)), tuple(steps), errors, bounds)


def _texts(steps: list[Step]) -> list[str]:
    return [str(step) for step in steps if step.name != "read"]


def _worst(errors: tuple[SamplingError, ...]) -> str:
    """Return the errors of the joint positions, or of the first group there is."""
    chosen = [error for error in errors if error.group == "q"] or list(errors[:1])
    return str(chosen[0]) if chosen else "no estimate (too few rows)"
