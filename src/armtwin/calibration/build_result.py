"""Build the result of a calibration from a finished fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.calibration.curves.curve_fit import CurveFit
from armtwin.calibration.curves.summary import FittedCurve, fitted_curves
from armtwin.calibration.data.measurements import PoseMeasurements, gather
from armtwin.calibration.data.placements import PlacedRecordings
from armtwin.calibration.fit.intervals import covariance, fitted_parameters
from armtwin.calibration.fit.parameter_sets import ParameterSetFit, ParameterSetTrials
from armtwin.calibration.geometry_posterior import GeometryPosterior
from armtwin.calibration.held_out import TestPlacement, fit_test_placement, predicted
from armtwin.calibration.options import CalibrateOptions
from armtwin.calibration.pose_errors import Placement, PoseErrors
from armtwin.calibration.result import Calibration
from armtwin.calibration.verdict import failures
from armtwin.model.arm import Arm
from armtwin.spatial import Array


@dataclass(frozen=True)
class CalibrationFit:
    """A finished fit.

    Attributes:
        trials: the model and the fitted measurements.
        tried: fits of all sets, the arm as given first, base and tool alone second.
        score_gaps: gap of each to the best, and its standard error [nats].
        best: the chosen fit.
        nested: error of forward selection in nested cross-validation.
        curves: the fit of error curves, where it is the chosen one.
    """

    trials: ParameterSetTrials
    tried: Sequence[ParameterSetFit]
    score_gaps: Sequence[tuple[float, float]]
    best: ParameterSetFit
    nested: PoseErrors | None
    curves: CurveFit | None = None

    @property
    def reference(self) -> ParameterSetFit:
        """The nominal arm in its own frames, or in fitted ones where the measurements need it."""
        return self.tried[1 if self.trials.model.is_placed else 0]

    def changes(self, fit: ParameterSetFit) -> Array:
        """Return the changes of all parameters in a fit."""
        return fit.changes(len(self.trials.model.parameters))


def build_result(
    fit: CalibrationFit,
    fitted: PlacedRecordings,
    held: PoseMeasurements | None,
    tests: PlacedRecordings,
    options: CalibrateOptions,
) -> Calibration:
    """Return the result of a calibration.

    Args:
        fit: the finished fit.
        fitted: the fitted recordings.
        held: their rows that were held out, None where there are none.
        tests: recordings that are only predicted.
        options: the options of the calibration.
    """
    trials, best = fit.trials, fit.best
    changes, before = fit.changes(best), fit.changes(fit.reference)
    known, own, dropped = _held_out(fit, fitted, held, tests, options)
    pairs = {k: (predicted(trials, m, before), predicted(trials, m, changes)) for k, m in known}
    placements = (
        *[
            _with_tests(_placement(fit, fitted, k, pairs.get(k)), tests, _has_rows(held, k))
            for k in range(len(fitted.placements))
        ],
        *[test.placement for test in own],
    )
    files = (*fitted.files, *tests.files)
    held_out = [*pairs.values(), *[test.errors for test in own]]
    arm = _named(trials.model.arm_with(changes), best, len(trials.measured), files)
    curves: tuple[FittedCurve, ...] = ()
    if fit.curves is not None:
        curves = fitted_curves(trials, best, fit.curves.spectrum)
        arm = _with_visited(arm, curves)
    trial = best.trial(0.0, 0.0)
    return Calibration(
        arm=arm,
        nominal=trials.model.arm_with(before),
        parameters=fitted_parameters(trials, best),
        unidentifiable=best.identifiable.held,
        chosen=best.name,
        trials=tuple(a.trial(*gap) for a, gap in zip(fit.tried, fit.score_gaps, strict=True)),
        before=PoseErrors.of(fit.reference.solution.errors),
        after=trial.fitted,
        left_out=trial.left_out,
        nested_left_out=fit.nested if best.name == "single" else None,
        held_out_before=_together([pair[0] for pair in held_out]),
        held_out=_together([pair[1] for pair in held_out]),
        condition=best.identifiable.condition,
        measured=trials.measured,
        errors=(fit.reference.solution.errors, best.solution.errors),
        placements=placements,
        failures=tuple(failures(arm, placements, held_out, options.largest_error)),
        curves=curves,
        posterior=_posterior(fit, changes),
        notes=(*trials.measured.notes, *dropped, *[test.note for test in own], *_curve_note(fit)),
        settings=options.rows(),
        inputs=files,
    )


def _curve_note(fit: CalibrationFit) -> list[str]:
    if fit.curves is None:
        return []
    count = fit.curves.averaged
    mean = f"; mean over {count} priors of about equal errors" if count > 1 else ""
    return [f"joint error curves: {fit.curves.spectrum}{mean}"]


def _posterior(fit: CalibrationFit, changes: Array) -> GeometryPosterior | None:
    """Return the fitted parameters with their covariance; None where nothing was fitted."""
    free = fit.best.identifiable.free
    if not free:
        return None
    return GeometryPosterior(fit.trials.model, free, changes, covariance(fit.trials, fit.best))


def _with_visited(arm: Arm, curves: Sequence[FittedCurve]) -> Arm:
    """Return the arm whose curves know the ranges of angles that were measured."""
    ranges, joints = iter(curve.visited for curve in curves), []
    for joint in arm.joints:
        visited = next(ranges) if joint.kind != "fixed" else ()
        if joint.error_curve is not None:
            curve = dataclasses.replace(joint.error_curve, visited=visited)
            joint = dataclasses.replace(joint, error_curve=curve)
        joints.append(joint)
    return arm.with_(joints=tuple(joints))


def _held_out(
    fit: CalibrationFit,
    fitted: PlacedRecordings,
    held: PoseMeasurements | None,
    tests: PlacedRecordings,
    options: CalibrateOptions,
) -> tuple[list[tuple[int, PoseMeasurements]], list[TestPlacement], list[str]]:
    """Return poses that were not fitted, in fitted placements and in others, and their notes."""
    model = fit.trials.model
    known: dict[int, list[PoseMeasurements]] = {}
    if held is not None:
        for number, rows in enumerate(held.placement_rows()):
            known.setdefault(number, []).extend([held.take(rows)] if rows.size else [])
    own: list[TestPlacement] = []
    notes: list[str] = []
    for name in tests.placements:
        recordings = tests.of(name)
        measured = gather(model.arm, recordings)
        notes += measured.notes
        if name in fitted.placements:
            known.setdefault(fitted.placements.index(name), []).append(measured)
            continue
        arms = [model.arm_with(fit.changes(a)) for a in (fit.reference, fit.best)]
        files = tuple(recording.origin for recording in recordings)
        own.append(fit_test_placement((arms[0], arms[1]), measured, options, name, files))
    merged = [(number, _merged(parts, number)) for number, parts in known.items() if parts]
    return merged, own, notes


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
    fit: CalibrationFit, fitted: PlacedRecordings, number: int, pair: tuple[Array, Array] | None
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
        judged=names,
    )


def _has_rows(held: PoseMeasurements | None, number: int) -> bool:
    """Return whether rows of a fitted placement were held out."""
    return held is not None and bool((held.placement_of_row == number).any())


def _with_tests(placement: Placement, tests: PlacedRecordings, held: bool) -> Placement:
    """Return a fitted placement with the names of the test recordings that share it.

    Args:
        placement: the placement, judged on its fitted recordings.
        tests: the test recordings.
        held: whether rows of the fitted recordings were held out, too.
    """
    names = tuple(recording.origin for recording in tests.of(placement.name))
    judged = (*(placement.recordings if held or not names else ()), *names)
    return dataclasses.replace(placement, tests=names, judged=judged)


def _together(errors: Sequence[Array]) -> PoseErrors | None:
    """Return the figures of several errors; angles only where all have them."""
    if not errors:
        return None
    columns = min(part.shape[1] for part in errors)
    return PoseErrors.of(np.concatenate([part[:, :columns] for part in errors]))


def _named(arm: Arm, best: ParameterSetFit, poses: int, files: tuple[Path, ...]) -> Arm:
    names = ", ".join(path.name for path in files) or "recordings"
    note = (
        f"armtwin, set {best.name!r} on {poses} measured poses of {names}; left-out error "
        f"{PoseErrors.of(best.left_out).mean * 1e3:.4g} mm mean"
    )
    sources = {**dict(arm.sources), "calibration": note}
    return arm.with_(name=f"{arm.name}-calibrated", sources=tuple(sources.items()))
