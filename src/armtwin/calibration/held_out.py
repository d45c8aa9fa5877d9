"""Errors on poses that were not fitted, each in the frames of its placement.

A test recording that shares a placement with fitted ones is predicted in their base and tool. Any
other has its own: they are fitted to a share of its poses with the rest of the arm held, and the
errors are those of the remaining poses. The nominal arm is treated in the same way.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.calibration.data.measurements import PoseMeasurements, split
from armtwin.calibration.fit.initial_fit import prepared
from armtwin.calibration.fit.parameter_sets import ParameterSetTrials
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.calibration.options import CalibrateOptions
from armtwin.calibration.pose_errors import Placement, PoseErrors
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

PLACING_SHARE, MIN_PLACING = 0.2, 10
"""Share of a test recording's poses that its frames are fitted to, and how many at least."""


@dataclass(frozen=True)
class TestPlacement:
    """A test recording's own base and tool, with the errors on the remaining poses.

    Attributes:
        placement: the frames and their figures.
        errors: of the nominal and of the calibrated arm on the remaining poses, (n, 3 or 6) each.
        note: how the frames were determined.
    """

    placement: Placement
    errors: tuple[Array, Array]
    note: str


def predicted(trials: ParameterSetTrials, measured: PoseMeasurements, changes: Array) -> Array:
    """Return the errors (n, 3 or 6) of poses in fitted placements, at changed parameters.

    Args:
        trials: the fitted problem.
        measured: joints and measured poses, in placements that were fitted.
        changes: parameters minus their nominal values (parameters,) [m | rad].
    """
    return trials.model.errors(measured, trials.model.load(measured.q), changes)[0]


def fit_test_placement(
    arms: tuple[Arm, Arm],
    measured: PoseMeasurements,
    options: CalibrateOptions,
    name: str,
    files: tuple[str, ...],
) -> TestPlacement:
    """Fit base and tool of a test placement to a share of its poses and test on the rest.

    Args:
        arms: the nominal and the calibrated arm.
        measured: poses of the test recordings that share the placement.
        options: say whether base and tool may be fitted at all.
        name: name of the placement.
        files: names of the recordings.

    Raises:
        InputError: too few poses to fit frames and to test.
    """
    fits = options.base or options.tool
    if fits and len(measured) < 2 * MIN_PLACING:
        raise InputError(
            f"{', '.join(files)}: {len(measured)} poses are too few to fit a base and tool of "
            f"their own and to test, {2 * MIN_PLACING} are needed; or put them into the group of "
            "a fitted recording with the same base and tool (groups)"
        )
    share = max(PLACING_SHARE, MIN_PLACING / len(measured)) if fits else 0.0
    rest, used = split(measured, share)
    frames = [
        _with_fitted_frames(arm, measured.take(used), options) if fits else arm for arm in arms
    ]
    placing = [_errors(arm, measured.take(used if fits else rest)) for arm in frames]
    errors = [_errors(arm, measured.take(rest)) for arm in frames]
    own = f"own base and tool fitted to {used.size} of its {len(measured)} poses"
    note = f"{', '.join(files)}: {own if fits else 'base and tool as given'}, tested on {rest.size}"
    placement = Placement(
        name=name,
        recordings=files,
        base=frames[1].base,
        tool=frames[1].tool,
        before=PoseErrors.of(placing[0]),
        after=PoseErrors.of(placing[1]),
        left_out=None,
        held_out_before=PoseErrors.of(errors[0]),
        held_out=PoseErrors.of(errors[1]),
        tested=True,
        judged=files,
    )
    return TestPlacement(placement, (errors[0], errors[1]), note)


def _with_fitted_frames(arm: Arm, measured: PoseMeasurements, options: CalibrateOptions) -> Arm:
    """Return an arm with the base and tool that fit best, everything else unchanged."""
    trials = prepared(arm, measured, dataclasses.replace(options, parameters="frames"))
    fit = trials.fit("frames", trials.model.indices(options.frames))
    return trials.model.arm_with(fit.changes(len(trials.model.parameters)))


def _errors(arm: Arm, measured: PoseMeasurements) -> Array:
    model = GeometryModel(arm)
    return model.errors(measured, model.load(measured.q), np.zeros(len(model.parameters)))[0]
