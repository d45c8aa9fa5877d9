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
    if not attempt.identifiable.free:
        return ()
    C = _covariance(trials, attempt)
    freedom = np.unique(trials.measured.block).size - 1
    numbers = _chain_numbers(trials, attempt, half_widths(C, freedom))
    for placement in range(len(trials.model.placements)):
        for frame in ("base", "tool"):
            numbers += _frame_numbers(trials, attempt, (frame, placement), C, freedom)
    return tuple(numbers)


def _covariance(trials: Trials, attempt: Attempt) -> Array:
    """Return the covariance (k, k) of the fitted numbers.

    It is the sandwich estimate with left-out errors, which are not lowered by the fit itself. No
    variance is smaller than that of a fit with every number free within its tolerance: a set that
    leaves numbers out does not know the others better for it.
    """
    solution = attempt.solution
    _, J = solution.whitened
    e = attempt.left_out * solution.weights
    C = sandwich(J, e, trials.measured.block, solution.tolerances)
    least = _variance_with_all(trials, attempt)
    grow = np.sqrt(np.maximum(1.0, least / np.maximum(np.diag(C), 1e-300)))
    return C * np.outer(grow, grow)


def _variance_with_all(trials: Trials, attempt: Attempt) -> Array:
    """Return the variances (k,) of the fitted numbers where all others are free, too.

    Numbers that act exactly like fitted ones stay held: they say where a length or angle is counted
    from, not how large it is.
    """
    free = list(attempt.identifiable.free)
    fitted_frames = {trials.model.parameters[k].group for k in free} & {"base", "tool"}
    groups = (*fitted_frames, "offsets", "lengths", "twists", "compliance")
    places = [*free, *[k for k in trials.model.indices(groups) if k not in free]]
    changes = attempt.changes(len(trials.model.parameters))
    every = list(trials.identifiable(changes, places, first=free).free)
    solution = attempt.solution
    J = trials.errors(changes)[1][:, :, every] * solution.weights[:, :, None]
    flat = J.reshape(-1, len(every))
    prior = trials.tolerances[every] ** -2.0
    inverse = np.linalg.inv(flat.T @ flat + np.diag(prior))
    used = len(every) - float(prior @ np.diag(inverse))
    numbers = solution.errors.size
    variance = np.diag(inverse) * numbers / max(numbers - used, 1.0)
    return np.asarray(variance[[every.index(k) for k in free]])


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
    trials: Trials, attempt: Attempt, which: tuple[str, int], C: Array, freedom: int
) -> list[Fitted]:
    """Return the numbers of one frame of one placement that the fit moved."""
    model = trials.model
    frame, placement = which
    places = [k for k in model.indices((frame,)) if model.parameters[k].placement == placement]
    free = [k for k, place in enumerate(attempt.identifiable.free) if place in places]
    if not free:
        return []
    change, spread = np.zeros(6), np.zeros((6, 6))
    local = [places.index(attempt.identifiable.free[k]) for k in free]
    change[local] = attempt.solution.x[free]
    spread[np.ix_(local, local)] = C[np.ix_(free, free)]
    start = model.bases[placement], model.tools[placement]
    value = _coordinates(start, frame, change)
    nominal = _coordinates(model.standing_frames, frame, np.zeros(6))
    slopes = [
        (_coordinates(start, frame, change + STEP * unit) - value) / STEP for unit in np.eye(6)
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


def _coordinates(frames: tuple[Array, Array], frame: str, change: Array) -> Array:
    """Return x, y, z, roll, pitch, yaw of the changed base or tool."""
    moved = pose(change[:3], change[3:])
    base, tool = frames
    T = base @ moved if frame == "base" else moved @ tool
    return np.concatenate([T[:3, 3], rpy_from_rotation(T[:3, :3])])
