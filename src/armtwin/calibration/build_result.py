"""From a chosen fit to the result of a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armtwin.calibration.data.measurements import PoseMeasurements, gather
from armtwin.calibration.data.placements import Placed
from armtwin.calibration.fit.parameter_sets import Attempt, Trials
from armtwin.calibration.fit.uncertainty import half_widths, sandwich
from armtwin.calibration.held_out import TestPlacement, placed_test, predicted
from armtwin.calibration.result import Calibration, Fitted, Placement, PoseErrors
from armtwin.calibration.verdict import failures
from armtwin.model.arm import Arm
from armtwin.spatial import Array, pose, rpy_from_rotation

if TYPE_CHECKING:
    from armtwin.calibration.calibrate import CalibrateOptions

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


@dataclass(frozen=True)
class Fit:
    """A finished fit.

    Attributes:
        trials: the model and what was fitted to.
        tried: all attempts, the arm as given first, base and tool alone second.
        behind: how far each is behind the best, and the standard error [nats].
        best: the attempt to take.
        honest: error of single steps with the choice repeated.
    """

    trials: Trials
    tried: Sequence[Attempt]
    behind: Sequence[tuple[float, float]]
    best: Attempt
    honest: PoseErrors | None

    @property
    def reference(self) -> Attempt:
        """The nominal arm: in its own frames, or with those that fit best where it has others."""
        return self.tried[1 if self.trials.model.is_placed else 0]

    def changes(self, attempt: Attempt) -> Array:
        """Return the changes of all parameters in an attempt."""
        return attempt.changes(len(self.trials.model.parameters))


def result(
    fit: Fit, fitted: Placed, held: PoseMeasurements | None, tests: Placed, chosen: CalibrateOptions
) -> Calibration:
    """Return the result of a calibration.

    Args:
        fit: the finished fit.
        fitted: the recordings fitted to.
        held: their rows that were held out, None where there are none.
        tests: recordings that are only predicted.
        chosen: how to calibrate.
    """
    trials, best = fit.trials, fit.best
    changes, before = fit.changes(best), fit.changes(fit.reference)
    known, own = _apart(fit, fitted, held, tests, chosen)
    pairs = {k: (predicted(trials, m, before), predicted(trials, m, changes)) for k, m in known}
    placements = (
        *[_placement(fit, fitted, k, pairs.get(k)) for k in range(len(fitted.placements))],
        *[test.placement for test in own],
    )
    files = (*fitted.files, *tests.files)
    apart = [*pairs.values(), *[test.errors for test in own]]
    arm = _named(trials.model.arm_with(changes), best, len(trials.measured), files)
    trial = best.trial(0.0, 0.0)
    return Calibration(
        arm=arm,
        nominal=trials.model.arm_with(before),
        parameters=fitted_numbers(trials, best),
        unidentifiable=best.identifiable.held,
        chosen=best.name,
        trials=tuple(a.trial(*gap) for a, gap in zip(fit.tried, fit.behind, strict=True)),
        before=PoseErrors.of(fit.reference.solution.errors),
        after=trial.fitted,
        left_out=trial.left_out,
        choice_included=fit.honest if best.name == "single" else None,
        held_out_before=_together([pair[0] for pair in apart]),
        held_out=_together([pair[1] for pair in apart]),
        condition=best.identifiable.condition,
        measured=trials.measured,
        errors=(fit.reference.solution.errors, best.solution.errors),
        placements=placements,
        failures=tuple(failures(arm, placements, apart, chosen.largest_error)),
        notes=(*trials.measured.notes, *[test.note for test in own]),
        settings=chosen.shown(),
        inputs=files,
    )


def _apart(
    fit: Fit, fitted: Placed, held: PoseMeasurements | None, tests: Placed, chosen: CalibrateOptions
) -> tuple[list[tuple[int, PoseMeasurements]], list[TestPlacement]]:
    """Return what was not fitted to: in placements that were fitted, and in others."""
    model = fit.trials.model
    known: dict[int, list[PoseMeasurements]] = {}
    if held is not None:
        for number, rows in enumerate(held.placement_rows()):
            known.setdefault(number, []).extend([held.take(rows)] if rows.size else [])
    own = []
    for name in tests.placements:
        recordings = tests.of(name)
        measured = gather(model.arm, recordings)
        if name in fitted.placements:
            known.setdefault(fitted.placements.index(name), []).append(measured)
            continue
        arms = [model.arm_with(fit.changes(a)) for a in (fit.reference, fit.best)]
        files = tuple(recording.origin for recording in recordings)
        own.append(placed_test((arms[0], arms[1]), measured, chosen, name, files))
    merged = [(number, _merged(parts, number)) for number, parts in known.items() if parts]
    return merged, own


def _merged(parts: Sequence[PoseMeasurements], placement: int) -> PoseMeasurements:
    """Return poses of one placement together; orientations only where all have them."""
    rotations = [part.rotation for part in parts if part.rotation is not None]
    q = np.concatenate([part.q for part in parts])
    return PoseMeasurements(
        q=q,
        position=np.concatenate([part.position for part in parts]),
        rotation=np.concatenate(rotations) if len(rotations) == len(parts) else None,
        block=np.arange(len(q)),
        placement=np.full(len(q), placement),
    )


def _placement(
    fit: Fit, fitted: Placed, number: int, pair: tuple[Array, Array] | None
) -> Placement:
    """Return a fitted placement with its figures."""
    rows = fit.trials.measured.placement_of_row == number
    name = fitted.placements[number]
    base, tool = fit.trials.model.frames(fit.changes(fit.best), number)
    names = tuple(recording.origin for recording in fitted.of(name))
    return Placement(
        name=name,
        recordings=names,
        base=tuple(tuple(row) for row in base.tolist()),
        tool=tuple(tuple(row) for row in tool.tolist()),
        before=PoseErrors.of(fit.reference.solution.errors[rows]),
        after=PoseErrors.of(fit.best.solution.errors[rows]),
        left_out=PoseErrors.of(fit.best.left_out[rows]),
        held_out_before=None if pair is None else PoseErrors.of(pair[0]),
        held_out=None if pair is None else PoseErrors.of(pair[1]),
    )


def _together(errors: Sequence[Array]) -> PoseErrors | None:
    """Return the figures of several errors; angles only where all have them."""
    if not errors:
        return None
    columns = min(part.shape[1] for part in errors)
    return PoseErrors.of(np.concatenate([part[:, :columns] for part in errors]))


def _named(arm: Arm, best: Attempt, poses: int, files: tuple[Path, ...]) -> Arm:
    names = ", ".join(path.name for path in files) or "recordings"
    note = (
        f"armtwin, set {best.name!r} on {poses} measured poses of {names}; left-out error "
        f"{PoseErrors.of(best.left_out).mean * 1e3:.4g} mm mean"
    )
    sources = {**dict(arm.sources), "calibration": note}
    return arm.with_(name=f"{arm.name}-calibrated", sources=tuple(sources.items()))
