"""The numbers of a fit with their intervals, as people know them."""

from __future__ import annotations

import numpy as np

from armtwin.identify.calibrated import Fitted
from armtwin.identify.trials import Attempt, Trials
from armtwin.identify.uncertainty import half_widths, sandwich
from armtwin.spatial import Array, pose, rpy_from_rotation

STEP = 1e-6


def fitted_numbers(trials: Trials, attempt: Attempt) -> tuple[Fitted, ...]:
    """Return every fitted number with its 95 % interval.

    Geometry and compliances stand for themselves. Base and tool were fitted as small changes of
    their frames; their intervals are those of the whole frame's x, y, z, roll, pitch, yaw.
    """
    places = list(attempt.identifiable.free)
    if not places:
        return ()
    e, J = attempt.solution.whitened
    C = sandwich(J, e, trials.measured.block, attempt.solution.tolerances)
    freedom = np.unique(trials.measured.block).size - 1
    numbers = _chain_numbers(trials, attempt, half_widths(C, freedom))
    for frame in ("base", "tool"):
        numbers += _frame_numbers(trials, attempt, frame, C, freedom)
    return tuple(numbers)


def _chain_numbers(trials: Trials, attempt: Attempt, widths: Array) -> list[Fitted]:
    found = []
    rows = zip(attempt.identifiable.free, attempt.solution.x, widths, strict=True)
    for place, change, width in rows:
        p = trials.model.parameters[place]
        if p.group not in ("base", "tool"):
            value = p.nominal + float(change)
            ends = value - float(width), value + float(width)
            found.append(Fitted(p.name, p.unit, p.nominal, value, *ends))
    return found


def _frame_numbers(
    trials: Trials, attempt: Attempt, frame: str, C: Array, freedom: int
) -> list[Fitted]:
    """Return a frame's numbers that the fit moved."""
    model = trials.model
    places = model.indices((frame,))
    free = [k for k, place in enumerate(attempt.identifiable.free) if place in places]
    if not free:
        return []
    change, spread = np.zeros(6), np.zeros((6, 6))
    local = [places.index(attempt.identifiable.free[k]) for k in free]
    change[local] = attempt.solution.x[free]
    spread[np.ix_(local, local)] = C[np.ix_(free, free)]
    value = _coordinates(model.base, model.tool, frame, change)
    nominal = _coordinates(*model.standing_frames, frame, np.zeros(6))
    slopes = [
        (_coordinates(model.base, model.tool, frame, change + STEP * unit) - value) / STEP
        for unit in np.eye(6)
    ]
    D = np.stack(slopes, axis=1)
    widths = half_widths(D @ spread @ D.T, freedom)
    return [
        Fitted(
            model.parameters[place].name,
            model.parameters[place].unit,
            float(nominal[k]),
            float(value[k]),
            float(value[k] - widths[k]),
            float(value[k] + widths[k]),
        )
        for k, place in enumerate(places)
        if widths[k] > 0
    ]


def _coordinates(base: Array, tool: Array, frame: str, change: Array) -> Array:
    """Return x, y, z, roll, pitch, yaw of the changed base or tool."""
    moved = pose(change[:3], change[3:])
    T = base @ moved if frame == "base" else moved @ tool
    return np.concatenate([T[:3, 3], rpy_from_rotation(T[:3, :3])])
