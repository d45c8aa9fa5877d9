"""What stays the same throughout one identification: the arm, the data, the first guesses."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.data import channel_checks as first_look
from armtwin.identification.data.runs import IdentificationRun, RunBlock, blocks
from armtwin.identification.estimation.friction_selection import SIMPLE_FIRST
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.parameters.prior import file_prior, smoothing_at_joints
from armtwin.identification.parameters.vector import ParameterLayout, Prior
from armtwin.identification.result import fitted_arm as built_arm
from armtwin.identification.result.unidentifiable import moving_seconds
from armtwin.model.arm import Arm
from armtwin.spatial import Array

LEAST_MOVING = 1.0


@dataclass(frozen=True, eq=False)
class Problem:
    """The unknowns and the data that tell them.

    Attributes:
        arm: its file's numbers are the prior.
        options: of the identification.
        efforts: the motors' signals.
        targets: the controller's own torques.
        kind: "current" or "tau"; "target" where no motor's signal is recorded.
        gains: first guess of the gains (dof,) [A/Nm at the joint], 1 for torques.
        sizes: largest signal of every motor (dof,).
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
        """Return what the file says; the gain of a torque is known to be 1."""
        file = file_prior(self.arm, layout, self.options, self.gains, self.sizes)
        if self.kind == "current":
            return file
        fixed = np.arange(layout.size)[layout.gains]
        return dataclasses.replace(file, free=np.setdiff1d(file.free, fixed))

    @property
    def file_laws(self) -> tuple[str, ...]:
        """The friction law of every joint as in the file, the simplest where it has none."""
        found = [joint.drive.friction if joint.drive else None for joint in self.arm.driven]
        return tuple(SIMPLE_FIRST[0] if friction is None else friction.model for friction in found)


def pose_problem(arm: Arm, options: IdentifyOptions, runs: list[IdentificationRun]) -> Problem:
    """Return the problem that runs pose, after checking that the signals make sense.

    Raises:
        InputError: nothing moves, signals of two kinds, or in another order, sign or unit.
        MissingDataError: currents to be explained without any torque constant.
    """
    efforts, targets, one = blocks(runs, "effort"), blocks(runs, "target"), np.ones(arm.dof)
    if len({block.kind for block in efforts}) > 1:
        raise InputError(
            "some recordings have currents, others torques; identify them apart, or choose the "
            "signal that all have (signal='tau')"
        )
    kind = efforts[0].kind if efforts else "target"
    problem = Problem(arm, options, efforts, targets, kind, one, one)
    if not efforts:
        return problem
    _require_motion(problem)
    gains = _looked_at(problem)
    sizes = np.max([np.abs(block.signal).max(axis=0) for block in efforts], axis=0)
    return dataclasses.replace(problem, gains=gains, sizes=sizes)


def file_vector(arm: Arm, options: IdentifyOptions) -> tuple[Predictor, Array]:
    """Return a predictor of the arm and its file's numbers, before any data."""
    one = np.ones(arm.dof)
    problem = Problem(arm, options, [], [], "tau", one, one)
    predictor = problem.predictor(problem.file_laws)
    return predictor, problem.prior(predictor.layout).mean


def _require_motion(problem: Problem) -> None:
    seconds = moving_seconds(problem.efforts, problem.arm.dof)
    if not (seconds >= LEAST_MOVING).any():
        raise InputError(
            f"no joint moves for {LEAST_MOVING:g} s at {problem.options.rest_speed:g} rad/s or "
            "more: friction, torque constants and inertias need motion; record one that reverses "
            "every joint several times at several speeds (armtwin excite makes one)"
        )


def _looked_at(problem: Problem) -> Array:
    """Check the channels' order, sign and unit; return a first guess of the gains."""
    arm, kind, unknown = problem.arm, problem.kind, problem.options.unknown
    if all(np.ptp(block.signal) == 0 for block in problem.efforts):
        raise InputError(f"every {kind} is the same throughout: nothing was measured there")
    predictor = problem.predictor(problem.file_laws)
    vector = problem.prior(predictor.layout).mean
    torques = [
        np.concatenate([predictor.torques(m, vector)[1] for _, m in block.chunks()])
        for block in problem.efforts
    ]
    look = first_look.check_channels(problem.efforts, torques)
    first_look.refuse_mixed_channels(look, kind)
    if "mounting" not in unknown:
        first_look.refuse_wrong_sign(look, kind)
        first_look.refuse_wrong_unit(look, kind, arm)
    if kind == "tau":
        return np.ones(arm.dof)
    if "gains" not in unknown:
        built_arm.require_gains(arm)
    return _first_gains(look.gains, built_arm.known_gains(arm))


def _first_gains(seen: Array, known: Array) -> Array:
    """Return the file's gains, else those seen, else those of the nearest joint that has one."""
    gains = np.where(np.isfinite(known), known, np.where(seen > 0, seen, np.nan))
    if not np.isfinite(gains).any():
        return np.full(gains.size, first_look.TYPICAL_GAIN)
    have = np.flatnonzero(np.isfinite(gains))
    nearest = [have[np.argmin(np.abs(have - j))] for j in range(gains.size)]
    return np.asarray(gains[nearest])
