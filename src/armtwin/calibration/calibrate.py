"""Calibrate an arm's geometry, base and tool from measured tool poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armtwin.calibration.build_result import CalibrationFit, build_result
from armtwin.calibration.curves.curve_fit import CurveFit, fit_curves
from armtwin.calibration.data.measurements import PoseMeasurements, gather, split
from armtwin.calibration.data.placements import PlacedRecordings, Sources, opened
from armtwin.calibration.fit.initial_fit import prepared
from armtwin.calibration.fit.parameter_sets import (
    ParameterSetFit,
    ParameterSetTrials,
    best_of,
    compared,
    fit_parameter_sets,
)
from armtwin.calibration.options import CalibrateOptions
from armtwin.calibration.result import Calibration
from armtwin.errors import InputError
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.convert import with_dh_rows
from armtwin.options import choose_options
from armtwin.progress import OnProgress, report_step
from armtwin.recording.read import MappingLike

MIN_POSES = 6
"""Poses of a placement at least: 18 coordinates for the 12 numbers of base and tool."""


def calibrate(
    arm: ArmLike,
    recordings: Sources,
    *,
    test: Sources = (),
    mapping: MappingLike | None = None,
    options: CalibrateOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: Any,
) -> Calibration:
    """Fit an arm's geometry, base and tool to measured poses.

    Robust least squares with exact derivatives of the kinematic chain. Parameters that the
    measurements do not identify are held and named, all others have 95 % intervals, and errors are
    given on data that was not fitted. Every recording has its own base and tool, unless recordings
    are given by the name of a placement that they share: ``{"cell": [first, second]}``.

    Args:
        arm: the nominal arm, its name or file; screws are converted to modified DH.
        recordings: files or recordings with joints and the tool's measured position, with or
            without its orientation; or such by the name of their placement.
        test: recordings that are only predicted: in the base and tool of a fitted placement of the
            same name, or in their own, fitted to a fifth of their poses (10 at least).
        mapping: names of the files' columns, where the guess is wrong.
        options: what to fit and how.
        on_progress: called as each step begins; raise from it to cancel.
        **choices: fields of ``CalibrateOptions`` (``hold_out=0.5``); they override ``options``.

    Raises:
        MissingColumnError: joints or positions are missing.
        InputError: too few poses in a placement, or another number of joints.
    """
    chosen = choose_options(CalibrateOptions, options, choices)
    report_step(on_progress, "reading")
    arm = as_arm(arm)
    fitted = opened(arm, recordings, mapping)
    tests = opened(arm, test, mapping, prefix="test ")
    numbers = [fitted.placements.index(name) for name in fitted.names]
    everything = gather(arm, fitted.recordings, numbers)
    train, held = split(everything, chosen.hold_out)
    measured = everything.take(train)
    _check_count(measured, fitted)
    nominal = with_dh_rows(arm, "modified-dh")
    trials = prepared(nominal, measured, chosen, fitted.placements)
    tried, nested = fit_parameter_sets(trials, chosen, on_progress)
    curves = _curves(trials, tried, chosen, on_progress)
    if curves is not None:
        trials, tried = curves.trials, [*tried, curves.fit]
    score_gaps = compared(tried, measured)
    best = best_of(tried, score_gaps, chosen.parameters)
    report_step(on_progress, "testing")
    held_out = everything.take(held) if held.size else None
    chosen_curves = None if curves is None or best is not curves.fit else curves
    fit = CalibrationFit(trials, tried, score_gaps, best, nested, chosen_curves)
    return build_result(fit, fitted, held_out, tests, chosen)


def _curves(
    trials: ParameterSetTrials,
    tried: Sequence[ParameterSetFit],
    options: CalibrateOptions,
    on_progress: OnProgress | None,
) -> CurveFit | None:
    """Fit joint error curves on top of the largest set, where that is requested and helps."""
    requested = options.parameters == "curves"
    if not requested and not (options.parameters == "auto" and options.curves):
        return None
    if any(joint.kind != "revolute" for joint in trials.model.arm.driven):
        return None
    report_step(on_progress, "curves")
    start = next(fit for fit in reversed(tried) if fit.name in ("compliance", "geometry"))
    return fit_curves(trials, start, requested=requested)


def _check_count(measured: PoseMeasurements, fitted: PlacedRecordings) -> None:
    for name, rows in zip(fitted.placements, measured.placement_rows(), strict=True):
        if rows.size < MIN_POSES:
            which = ", ".join(recording.origin for recording in fitted.of(name))
            raise InputError(
                f"{which}: {rows.size} poses are too few to calibrate with; give {MIN_POSES} at "
                "least, and several times as many as joints for a result that holds elsewhere; "
                "recordings that share a base and a tool can be grouped"
            )
