"""Closing of a draft's gaps: missing cells are interpolated, or their rows removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError, RecordingError
from armtwin.recording.columns.names import TARGET, group_of, listed
from armtwin.recording.draft import Draft
from armtwin.recording.preparation.repair import Step
from armtwin.recording.preparation.resample import interpolated
from armtwin.report.numbers import counted
from armtwin.spatial import Array

MAX_EMPTY, MAX_EDGE = 0.5, 0.01
"""Largest shares of missing cells in a column, and of missing rows at one of its ends."""


def close_gaps(draft: Draft, how: str) -> list[Step]:
    """Close cells without a value: interpolate them, or remove their rows.

    A column that is half empty is left out, as is one (not a joint position) whose first or last
    values are missing over more than 1 % of the rows; shorter ends are removed.

    Raises:
        InputError: ``how`` is neither "interpolate" nor "remove".
    """
    if how not in ("interpolate", "remove"):
        raise InputError(f"gaps are closed by 'interpolate' or 'remove', not {how!r}")
    steps = _drop_empty_columns(draft)
    if how == "remove":
        return steps + _drop_gaps(draft)
    steps += _cut_ends(draft)
    filled = {name: _fill(draft, name) for name in list(draft.data)}
    names = [name for name, count in filled.items() if count]
    count = sum(filled.values())
    if names:
        what = f"interpolated {counted(count, 'cell')} in {listed(names)}"
        steps.append(Step("gaps", what, count))
    return steps


def _is_gap(draft: Draft) -> dict[str, NDArray[np.bool_]]:
    gaps = {name: np.isnan(values) for name, values in draft.data.items()}
    return {name: rows for name, rows in gaps.items() if rows.any()}


def _ends(rows: NDArray[np.bool_]) -> tuple[int, int]:
    """Return how many rows at the beginning and at the end have no value."""
    return int((~rows).argmax()), int((~rows[::-1]).argmax())


def _drop_empty_columns(draft: Draft) -> list[Step]:
    lost = [
        name
        for name, rows in _is_gap(draft).items()
        if group_of(name).removeprefix(TARGET) != "q"
        and (rows.mean() > MAX_EMPTY or max(_ends(rows)) > max(1, MAX_EDGE * rows.size))
    ]
    for name in lost:
        del draft.data[name]
    return (
        [Step("gaps", f"left out columns with few values: {listed(lost)}", len(lost))]
        if lost
        else []
    )


def _drop_gaps(draft: Draft) -> list[Step]:
    gaps = _is_gap(draft)
    if not gaps:
        return []
    rows = np.logical_or.reduce(list(gaps.values()))
    if rows.all():
        raise RecordingError(f"{draft.origin}: every row lacks a value in {listed(gaps)}")
    draft.take(np.flatnonzero(~rows))
    count = int(rows.sum())
    return [
        Step("gaps", f"removed {counted(count, 'row')} without a value in {listed(gaps)}", count)
    ]


def _cut_ends(draft: Draft) -> list[Step]:
    """Remove the rows at both ends that a column has no value for: nothing to interpolate with."""
    ends = [_ends(rows) for rows in _is_gap(draft).values()]
    first, last = (max((end[k] for end in ends), default=0) for k in (0, 1))
    if not first + last:
        return []
    rows = draft.time.size
    if first + last >= rows - 1:
        raise RecordingError(f"{draft.origin}: no two rows are left that have all their values")
    draft.take(np.arange(first, rows - last))
    what = f"removed {counted(first + last, 'row')} at the ends, which lack values"
    return [Step("gaps", what, first + last)]


def _fill(draft: Draft, name: str) -> int:
    """Fill a column's gaps from the rows around them; return how many cells."""
    values = draft.data[name]
    empty = np.isnan(values)
    if not empty.any():
        return 0
    known = {name: values[~empty]}
    found: Array = interpolated(draft.time[~empty], known, draft.time[empty])[name]
    filled = values.copy()
    filled[empty] = found
    draft.data[name] = filled
    return int(empty.sum())
