"""The estimation problem: the arm, the data and the initial gains."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.data import channel_checks
from armtwin.identification.data.runs import IdentificationRun, RunBlock, blocks
from armtwin.identification.estimation.friction_selection import SIMPLE_FIRST
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.parameters.prior import file_prior, smoothing_at_joints
from armtwin.identification.parameters.vector import ParameterLayout, Prior
from armtwin.identification.result import fitted_arm
from armtwin.identification.result.unidentifiable import moving_seconds
from armtwin.model.arm import Arm
from armtwin.spatial import Array

MIN_MOVING = 1.0
"""Seconds that at least one joint must move, and any joint whose channel is judged."""


@dataclass(frozen=True, eq=False)
class Problem:
    """The unknowns and the data that determine them.

    Attributes:
        arm: the arm; its parameters are the prior.
        options: options of the identification.
        efforts: motor signals.
        targets: target torques of the controller.
        kind: "current" or "tau"; "target" where no motor signal is recorded.
        gains: initial gains (dof,) [A/Nm at the joint], 1 for torques.
        sizes: largest absolute signal of every motor (dof,).
    """

    arm: Arm
    options: IdentifyOptions
    efforts: list[RunBlock]
    targets: list[RunBlock]
    kind: str
    gains: Array
    sizes: Array

    def layout(self, laws: tuple[str, ...]) -> ParameterLayout:
        """Return the vector's layout for some friction laws."""
        return ParameterLayout.of(self.arm, laws, smoothing_at_joints(self.arm, self.options))

    def predictor(self, laws: tuple[str, ...]) -> Predictor:
        """Return the predictor of signals for some friction laws."""
        return Predictor(self.arm, self.layout(laws), self.options.unknown)

    def prior(self, layout: ParameterLayout) -> Prior:
        """Return the prior of the arm file; the gain of a torque is known to be 1."""
        file = file_prior(self.arm, layout, self.options, self.gains, self.sizes)
        if self.kind == "current":
            return file
        fixed = np.arange(layout.size)[layout.gains]
        return dataclasses.replace(file, free=np.setdiff1d(file.free, fixed))

    @property
    def file_laws(self) -> tuple[str, ...]:
        """The friction law of every joint in the arm file, the simplest where it has none."""
        found = [joint.drive.friction if joint.drive else None for joint in self.arm.driven]
        return tuple(SIMPLE_FIRST[0] if friction is None else friction.model for friction in found)


def pose_problem(arm: Arm, options: IdentifyOptions, runs: list[IdentificationRun]) -> Problem:
    """Return the estimation problem of some runs, after checks of order, sign and unit.

    Args:
        arm: the arm; its parameters are the prior.
        options: what to estimate.
        runs: the runs to fit.

    Raises:
        InputError: nothing moves, signals of two kinds, or in another order, sign or unit.
        MissingDataError: currents have to be predicted without a torque constant.
    """
    efforts, targets, one = blocks(runs, "effort"), blocks(runs, "target"), np.ones(arm.dof)
    if len({block.kind for block in efforts}) > 1:
        raise InputError(
            "some recordings have currents, others torques; identify them separately, or choose "
            "the signal that all have (signal='tau')"
        )
    kind = efforts[0].kind if efforts else "target"
    problem = Problem(arm, options, efforts, targets, kind, one, one)
    if not efforts:
        return problem
    _require_motion(problem)
    gains = _initial_gains(problem)
    sizes = np.max([np.abs(block.signal).max(axis=0) for block in efforts], axis=0)
    return dataclasses.replace(problem, gains=gains, sizes=sizes)


def file_vector(arm: Arm, options: IdentifyOptions) -> tuple[Predictor, Array]:
    """Return a predictor of the arm and the parameter vector of its file."""
    one = np.ones(arm.dof)
    problem = Problem(arm, options, [], [], "tau", one, one)
    predictor = problem.predictor(problem.file_laws)
    return predictor, problem.prior(predictor.layout).mean


def _require_motion(problem: Problem) -> None:
    seconds = moving_seconds(problem.efforts, problem.arm.dof)
    if not (seconds >= MIN_MOVING).any():
        raise InputError(
            f"no joint moves for {MIN_MOVING:g} s at {problem.options.rest_speed:g} rad/s or "
            "more: friction, torque constants and inertias need motion; record one that reverses "
            "every joint several times at several speeds (armtwin excite makes one)"
        )


def _initial_gains(problem: Problem) -> Array:
    """Check the channels' order, sign and unit; return initial gains."""
    arm, kind, unknown = problem.arm, problem.kind, problem.options.unknown
    if all(np.ptp(block.signal) == 0 for block in problem.efforts):
        raise InputError(f"every {kind} is the same throughout: nothing was measured there")
    predictor = problem.predictor(problem.file_laws)
    vector = problem.prior(predictor.layout).mean
    torques = [
        np.concatenate([predictor.torques(m, vector)[1] for _, m in block.chunks()])
        for block in problem.efforts
    ]
    check = channel_checks.check_channels(problem.efforts, torques)
    moving = moving_seconds(problem.efforts, arm.dof) >= MIN_MOVING
    channel_checks.refuse_mixed_channels(check, kind, moving)
    if "mounting" not in unknown:
        channel_checks.refuse_wrong_sign(check, kind)
        channel_checks.refuse_wrong_unit(check, kind, arm)
    if kind == "tau":
        return np.ones(arm.dof)
    if "gains" not in unknown:
        fitted_arm.require_gains(arm)
    return _filled_gains(check.gains, fitted_arm.known_gains(arm))


def _filled_gains(measured: Array, known: Array) -> Array:
    """Return the gains of the arm file, else measured ones, else those of the nearest joint."""
    gains = np.where(np.isfinite(known), known, np.where(measured > 0, measured, np.nan))
    if not np.isfinite(gains).any():
        return np.full(gains.size, channel_checks.TYPICAL_GAIN)
    have = np.flatnonzero(np.isfinite(gains))
    nearest = [have[np.argmin(np.abs(have - j))] for j in range(gains.size)]
    return np.asarray(gains[nearest])
