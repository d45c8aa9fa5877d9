"""Motions that tell the most about an arm: what they keep to, and what they are worth."""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.errors import InputError, PlanError
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.motion.clearance.clearance import Surroundings, check_free
from armtwin.motion.excitation.information import Information
from armtwin.motion.limits import MotionLimits, checked
from armtwin.motion.motion import RATE, Motion
from armtwin.spatial import Array

RANDOM = 16
"""Random motions that the search starts from and is compared with."""
SPEED, ACCELERATION = 3.0, 6.0
"""Limits of the electro-mechanical document [rad/s, rad/s2]."""
SAMPLES = 100
"""Samples of a motion that its information is taken from while it is being improved."""


@dataclass(frozen=True, eq=False)
class ExcitationProblem:
    """What an excitation shall keep to.

    Attributes:
        arm: an arm with masses.
        limits: on speed and acceleration; None: the document's 3 rad/s and 6 rad/s2, less where a
            joint's own limit is lower.
        around: floor, obstacles, margin.
        box: lowest and highest tool positions in base (2, 3) [m]; None for anywhere.
        rate: samples per second of the motion.
        seed: of the random starts; the same seed gives the same motion.
    """

    arm: Arm
    limits: MotionLimits = None  # type: ignore[assignment]  # set below
    around: Surroundings = Surroundings()
    box: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
    rate: float = RATE
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse an arm without masses and a box inside out; fill in the limits."""
        self.arm.require_masses()
        if self.limits is None:
            limits = MotionLimits.at_most(self.arm, SPEED, ACCELERATION)
            object.__setattr__(self, "limits", limits)
        if self.box is not None and not (np.asarray(self.box[0]) < np.asarray(self.box[1])).all():
            raise InputError(f"the box's lowest corner is not below its highest: {self.box}")

    @property
    def range(self) -> tuple[Array, Array]:
        """Positions that are used, at most a turn."""
        return np.maximum(self.arm.lower, -np.pi), np.minimum(self.arm.upper, np.pi)


@dataclass(frozen=True, eq=False)
class Excitation:
    """A motion that tells much about the arm.

    Attributes:
        motion: what every joint does.
        kind: "fourier" or "waypoints".
        amount: the information D per sample (see ``plan.information``).
        random: D of random motions of the same kind within the same limits, on average.
        rank: how many combinations of parameters it tells.
        condition: condition number of the regressors, columns scaled to one length.
        clearance: smallest distance on the way [m].
        points: the waypoints (k, dof), where it has some.
    """

    motion: Motion
    kind: str
    amount: float
    random: float
    rank: int
    condition: float
    clearance: float
    points: Array | None = None

    @property
    def deviation(self) -> float:
        """Standard deviation of its estimates against a random motion's, geometric mean."""
        return float(np.exp((self.random - self.amount) / (2 * self.rank)))


def check_rates(request: ExcitationProblem, motion: Motion) -> None:
    """Refuse speeds and accelerations beyond what was asked for."""
    speed, acceleration, _ = request.limits.values(request.arm)
    pairs = (("speed", motion.qd, speed), ("acceleration", motion.qdd, acceleration))
    for what, values, limit in pairs:
        if (np.abs(values) > limit * (1 + 1e-9)).any():
            raise PlanError(f"{motion.name}: {what} beyond what was asked for")


def outside_box(request: ExcitationProblem, q: Array) -> bool:
    """Return whether the tool leaves the box in any posture (n, dof)."""
    if request.box is None:
        return False
    at = fk(request.arm, q, ignore_limits=True)[:, :3, 3]
    return bool((at < request.box[0]).any() or (at > request.box[1]).any())


def kept(request: ExcitationProblem, motion: Motion) -> tuple[Motion, float]:
    """Return a motion with notes and its smallest distance [m], after checking every limit.

    Raises:
        PlanError: a limit, the box or the margin is not kept.
    """
    check_rates(request, motion)
    if outside_box(request, motion.q):
        raise PlanError(f"{motion.name}: the tool leaves the box")
    clear = check_free(request.arm, motion, request.around)
    return checked(request.arm, motion), clear


def valued(
    request: ExcitationProblem,
    told: Information,
    motion: Motion,
    kind: str,
    usual: float,
    points: Array | None = None,
) -> Excitation:
    """Return a motion with what it is worth, after checking every limit."""
    motion, clear = kept(request, motion)
    thin = slice(None, None, max(1, len(motion) // 500))
    states = motion.q[thin], motion.qd[thin], motion.qdd[thin]
    note = f"tells {told.rank} combinations of parameters"
    motion = dataclasses.replace(motion, notes=(*motion.notes, note))
    amount, condition = told.amount(*states), told.condition(*states)
    return Excitation(motion, kind, amount, usual, told.rank, condition, clear, points)


def one_thread() -> contextlib.AbstractContextManager[Any]:
    """Return a block in which small matrix products do not wait for each other's threads."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return contextlib.nullcontext()
    block: contextlib.AbstractContextManager[Any] = threadpool_limits(1)
    return block
