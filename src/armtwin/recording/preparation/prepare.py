"""Preparation of a raw recording as input, with a note on every step.

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
from armtwin.options import choose_options
from armtwin.progress import OnProgress, report_step
from armtwin.recording.draft import BURSTS, Draft
from armtwin.recording.preparation import clock, repair
from armtwin.recording.preparation.gaps import close_gaps
from armtwin.recording.preparation.prepared import PreparedRecording
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
from armtwin.report.numbers import counted

RATE = 500.0
"""Rows per second of prepared inputs, as in the reports on the UR10e's FMUs."""

ON_GRID = 1e-3
"""Share of a step by which stamps may be off the even grid and still count as on it."""


@dataclass(frozen=True)
class PrepareOptions:
    """Options of ``prepare``.

    Attributes:
        rate: rows per second, 500 where not given; also the rate of rows whose stamps came in
            bursts, or that have none.
        gaps: "interpolate" empty cells, or "remove" their rows.
        method: "auto", "cubic", "pchip" or "linear" between rows (see ``preparation.resample``).
    """

    rate: float | None = None
    gaps: str = "interpolate"
    method: str = "auto"

    def __post_init__(self) -> None:
        """Refuse a rate that is not positive."""
        if self.rate is not None and not self.rate > 0:
            raise InputError(f"a rate is a positive number of rows per second, got {self.rate}")


def prepare(
    source: Recording | str | Path,
    *,
    arm: Arm | str | Path | None = None,
    mapping: MappingLike | None = None,
    angles: str | None = None,
    run: float | None = None,
    options: PrepareOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: object,
) -> PreparedRecording:
    """Return a recording with an even clock from zero, in SI units and without gaps.

    Args:
        source: a file of any kind that ``read_recording`` takes, or a recording.
        arm: the arm, its name or file, for the order of its joints.
        mapping: names of the file's columns, as in ``read_recording``.
        angles: "deg" or "rad"; without it headers and values decide.
        run: which run, where the file holds several.
        options: how to prepare; or give its fields as keywords (``rate=125``).
        on_progress: called before each step; raise from it to cancel.
        **choices: fields of ``PrepareOptions``.

    Raises:
        InputError: a rate that is not positive, or an unknown method.
        RecordingError: the file cannot be read, or nothing is left of it.
        ClockError: the clock cannot be repaired: it starts again, or there is none.
    """
    chosen = choose_options(PrepareOptions, options, choices)
    rate = chosen.rate or RATE
    report_step(on_progress, "reading the recording", 0.0)
    if isinstance(source, Recording):
        draft = _draft_of(source)
    else:
        draft = read_draft(source, arm, mapping=mapping, angles=angles, run=run, repair=True)
    steps = [Step("read", line) for line in draft.notes if not line.startswith(BURSTS)]
    report_step(on_progress, "repairing clock and gaps", 0.3)
    steps += _repaired(draft, chosen.rate, chosen.gaps)
    even = draft.recording()
    check_grid(even.time, rate, len(even.columns))
    steps += _time_gaps(even, rate)
    report_step(on_progress, "resampling", 0.6)
    made = _resampled(even, steps, rate, chosen.method)
    return dataclasses.replace(made, mapping=draft.mapping)


def _draft_of(recording: Recording) -> Draft:
    data, units = dict(recording.data), dict(recording.units)
    return Draft(
        recording.origin, recording.time, data, units, recording.arm, recording.timed,
        list(recording.notes), serial=recording.serial, started=recording.started,
    )  # fmt: skip


def _repaired(draft: Draft, rate: float | None, gaps: str) -> list[Step]:
    """Repair clock and gaps in place and return the steps."""
    steps = repair.drop_rows_without_time(draft)
    if draft.timed:
        steps += repair.sort_rows(draft)
    steps += repair.drop_repeats(draft)
    steps += repair.time_by_rows(draft, rate)
    steps += repair.drop_same_stamps(draft)
    steps += repair.clock_from_zero(draft)
    return steps + close_gaps(draft, gaps)


def _time_gaps(recording: Recording, rate: float) -> list[Step]:
    """Report gaps between rows, and how many new rows bridge them."""
    found = clock.gaps(recording.time)
    if not found.size:
        return []
    grid = even_grid(0.0, recording.time[-1], rate)
    index = np.clip(np.searchsorted(recording.time, grid, "right") - 1, 0, len(recording) - 2)
    on_row = np.isclose(grid, recording.time[index], atol=1e-9)
    inside = np.diff(recording.time)[index] > clock.GAP_STEPS / recording.rate
    count = int((inside & ~on_row).sum())
    what = (
        f"{counted(int(found.size), 'gap')} between rows, the longest {found.max():.4g} s: "
        f"{counted(count, 'new row')} of {grid.size} are interpolated across them"
    )
    return [Step("missing rows", what, count)]


def _resampled(even: Recording, steps: list[Step], rate: float, method: str) -> PreparedRecording:
    """Put the recording on the even grid, with the error that this causes."""
    grid = even_grid(even.time[0], even.time[-1], rate)
    if grid.size == len(even) and np.abs(grid - even.time).max() < ON_GRID / rate:
        exact = dataclasses.replace(even, time=grid)
        moved = 1e6 * np.abs(grid - even.time).max()
        detail = f", stamps moved by {moved:.2g} us at most" if moved else ""
        steps.append(Step("resampling", f"not needed: {1000 / rate:.6g} ms a row already{detail}"))
        return PreparedRecording(exact.with_notes(*_texts(steps)), tuple(steps))
    new = resample(even, rate, method=method)
    errors, bounds = back_errors(even, new, method=method), leave_out_errors(even, method=method)
    steps.append(
        Step("resampling", f"{len(even)} rows at {even.rate:.4g} Hz to {len(new)} at {rate:g} Hz "
             f"({method}); back at the old rows: {_worst(errors)}; left-out rows: "
             f"{_worst(bounds)}", len(new))
    )  # fmt: skip
    return PreparedRecording(new.with_notes(*_texts(steps)), tuple(steps), errors, bounds)


def _texts(steps: list[Step]) -> list[str]:
    return [str(step) for step in steps if step.name != "read"]


def _worst(errors: tuple[SamplingError, ...]) -> str:
    """Return the errors of the joint positions, or of the first group there is."""
    chosen = [error for error in errors if error.group == "q"] or list(errors[:1])
    return str(chosen[0]) if chosen else "no estimate (too few rows)"
