"""Learning friction and model bias from clean runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.detection.detection_signals import DetectionSignals, own_constants
from armtwin.detection.learning.regression import REST, Blocks, blocks
from armtwin.detection.learning.ridge import ridge
from armtwin.detection.learning.torque_constants import fit_constants
from armtwin.detection.observer_model import SMOOTHING, ObserverModel
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.drive import effort_limits
from armtwin.spatial import Array

MOVING = 0.05
"""Speed that a joint must often exceed to teach its friction [rad/s]."""
OFFSET = 4
"""Place of the offset among the five corrections of a joint; those before it need motion."""
EXACT = 0.005
"""Part of the torque limits below which the arm's own model counts as exact."""
SMOOTHINGS = (0.002, SMOOTHING, 0.02, 0.05)
"""Speeds over which friction changes sign that are tried [rad/s]; the best fit is taken."""
PART_OF_MASS, PART_OF_SIZE = 0.3, 0.3
"""Expected error of a link's inertial parameters, relative, and the length [m] that turns its mass
into first moments and inertias: prior scales of the ridge."""
PART_OF_EFFORT = {"rotor": 0.02, "coulomb": 0.2, "viscous": 0.2, "offset": 0.03}
LOAD = 0.3
"""Prior scale of the friction that grows with the load, as a share of the load."""
MAX_LEFT, SOME_LEFT, HALF = 0.05, 0.02, 0.5
"""Parts of a joint's torque limit, and of its torque's spread, that may stay unexplained."""


def learn_model(
    arm: Arm, clean: Sequence[DetectionSignals], *, robust: bool = False
) -> ObserverModel:
    """Return the arm with corrections learned from clean runs.

    Args:
        arm: the arm.
        clean: runs without contact, or the run under test itself with ``robust``.
        robust: cut down large errors.

    Raises:
        InputError: no joint moves, or the corrected model still does not explain the runs.
    """
    require_motion(clean)
    own, notes = own_constants(arm), []
    constants = own
    if any(run.tau is None for run in clean) and own is None:
        constants, note = fit_constants(arm, clean, SMOOTHING)
        notes.append(note)
    found = [_fitted(arm, clean, constants, v, robust) for v in SMOOTHINGS]
    best = int(np.argmin([fit.relative for fit in found]))
    theta, sigma = found[best].theta, found[best].left
    _require_explained(arm, found[best])
    notes.append(
        f"friction and model bias learned from {sum(len(run.time) for run in clean)} samples; over "
        f"0.2 s they leave {', '.join(f'{x:.2g}' for x in sigma)} Nm RMS"
    )
    return ObserverModel(arm, theta, SMOOTHINGS[best], constants, tuple(notes))


def explains(arm: Arm, run: DetectionSignals, constants: Array | None) -> bool:
    """Return whether the arm's own parameters explain a run so well that nothing need be learned.

    That is less than 0.5 % of the joints' torque limits (of the largest torques where there are
    none), over windows of 0.2 s and by the median, so that contacts have little say.

    Args:
        arm: the arm.
        run: signals of a run.
        constants: torque at each joint per ampere (dof,) [Nm/A]; None where they are not known.
    """
    if run.tau is None and constants is None:
        return False
    data = blocks(arm, run, run.torque(constants), SMOOTHING)
    left = 1.4826 * np.median(np.abs(data.measured - data.needed), axis=0)
    largest = np.abs(data.measured).max(axis=0)
    return bool((left < EXACT * effort_limits(arm, missing=largest)).all())


@dataclass(frozen=True, eq=False)
class _Fit:
    """Corrections ``theta``; per joint [Nm] what they leave, the torques' spread and largest."""

    theta: Array
    left: Array
    spread: Array
    largest: Array

    @property
    def relative(self) -> float:
        """Residual relative to the spread of the torques."""
        return float((self.left / np.maximum(self.spread, 1e-9)).mean())


def _fitted(
    arm: Arm,
    clean: Sequence[DetectionSignals],
    constants: Array | None,
    smoothing: float,
    robust: bool,
) -> _Fit:
    parts = [blocks(arm, run, run.torque(constants), smoothing) for run in clean]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    scale = prior(arm, whole.measured)
    groups = (np.arange(scale.size) >= 10 * len(arm.joints)).astype(int)
    usable = _excited(whole, scale.size)
    theta, left = ridge(whole, scale, groups, usable=usable, robust=robust)
    theta = _guessed(arm, theta, _moving(whole))
    return _Fit(theta, left, whole.measured.std(axis=0), np.abs(whole.measured).max(axis=0))


def is_at_rest(run: DetectionSignals) -> bool:
    """Return whether the arm is at rest in a run: joints are slow, or the target is constant."""
    if run.target_still is not None and run.target_still.all():
        return True
    return float(np.nan_to_num(np.abs(run.qd)).max(initial=0.0)) < REST


def require_motion(clean: Sequence[DetectionSignals]) -> None:
    """Raise InputError for runs in which nothing moves or no torque changes."""
    fastest = max(float(np.nan_to_num(np.abs(run.qd)).max(initial=0.0)) for run in clean)
    if fastest < REST:
        raise InputError(
            f"no joint moves in the recording to learn from (the fastest reaches {fastest:.2g} "
            f"rad/s, {REST} are needed): friction, model bias and thresholds cannot be learned at "
            "standstill; give a recording of undisturbed motion"
        )
    for run in clean:
        name, measured = ("torques", run.tau) if run.tau is not None else ("currents", run.current)
        if not _changes(measured):
            raise InputError(
                f"the joints move but their {name} never change in a recording to learn from, so "
                "nothing was measured; check which columns hold them"
            )


def _changes(measured: Array | None) -> bool:
    """Return whether any measured value (n, dof) differs from the one before; NaN do not count."""
    if measured is None:
        return False
    known = measured[np.isfinite(measured).all(axis=1)]
    return not len(known) or bool((known[1:] != known[:-1]).any())


def _require_explained(arm: Arm, fit: _Fit) -> None:
    """Raise InputError where the corrected model leaves too much for any contact to be detected.

    A joint is unexplained where 5 % of its torque limit are left, or 2 % and half of the torque's
    own spread. (A real UR5 leaves up to 1.5 %, a simulated UR10e with real friction up to 1.8 %
    after 4 s of motion.) Without a limit, half of the spread and 2 % of the arm's largest torque.
    """
    largest = float(fit.largest.max())
    efforts = effort_limits(arm)
    for j, (effort, left, spread) in enumerate(zip(efforts, fit.left, fit.spread, strict=True)):
        limit, whose = (effort, "torque limit") if effort < np.inf else (largest, "largest torque")
        is_much = left > MAX_LEFT * effort
        if is_much or (left > HALF * spread and left > SOME_LEFT * limit):
            raise InputError(
                f"the model of arm {arm.name!r} does not explain the recording to learn from: with "
                f"friction and model bias learned, joint {j + 1} keeps {left:.3g} Nm RMS over 0.2 s"
                f", {left / limit:.2g} of its {whose}, so "
                "contacts cannot be judged; check the arm, its payload and mounting, the order of "
                "the joints, and that torques are in Nm and belong to this motion"
            )


def _guessed(arm: Arm, theta: Array, moving: NDArray[np.bool_]) -> Array:
    """Return theta with friction for joints that hardly moved: as strong, for their torque limit.

    Their friction holds them and is not seen; but once pushed they move, and stop elsewhere.
    Friction that the arm file gives them counts.
    """
    effort = effort_limits(arm)
    if moving.all() or not moving.any() or not np.isfinite(effort).all():
        return theta
    filled = theta.copy()
    at_joints = filled[-5 * arm.dof :].reshape(arm.dof, 5)
    for column, own in zip((1, 2), ObserverModel.plain(arm).own_friction(), strict=True):
        part = float(np.median((own + at_joints[:, column])[moving] / effort[moving]))
        at_joints[~moving, column] = np.maximum(part * effort - own, 0.0)[~moving]
    return filled


def _moving(data: Blocks) -> NDArray[np.bool_]:
    return np.asarray(np.quantile(data.speed, 0.9, axis=0) > MOVING)


def prior(arm: Arm, tau: Array) -> Array:
    """Return how far each correction may go, from masses and torque limits (size of theta,)."""
    scales = []
    for joint in arm.joints:
        m, L = joint.link.mass or 0.1, PART_OF_SIZE
        scales += [m, *[m * L] * 3, *[m * L * L] * 6]
    links = PART_OF_MASS * np.array(scales)
    effort = effort_limits(arm, missing=np.abs(tau).max(axis=0)).tolist()
    parts = PART_OF_EFFORT
    joints = [
        [parts["rotor"] * e, parts["coulomb"] * e, parts["viscous"] * e, LOAD, parts["offset"] * e]
        for e in effort
    ]
    return np.concatenate([links, np.ravel(joints)])


def _excited(data: Blocks, size: int) -> NDArray[np.bool_]:
    """Return which corrections the motion can teach: no friction of joints that hardly move."""
    dof = data.speed.shape[1]
    excited = np.ones((dof, 5), bool)
    excited[~_moving(data), :OFFSET] = False
    return np.concatenate([np.ones(size - 5 * dof, bool), excited.ravel()])
