"""The motion of least energy, and what it saves, in one call."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from armtwin.dynamics.regeneration import DEFAULT, Regeneration, regeneration
from armtwin.energy.ledger import Ledger, ledger
from armtwin.energy.savings import Savings, compare
from armtwin.model.arm import Arm
from armtwin.motion.clearance.clearance import Surroundings
from armtwin.motion.limits import MotionLimits
from armtwin.motion.motion import Motion
from armtwin.motion.optimal.curve import as_points
from armtwin.motion.optimal.leg_times import USUAL, Told, Trapezoid, least_energy
from armtwin.motion.optimal.pareto import best_time
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.motion.optimal.straight import straight
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Optimized:
    """A motion of least energy beside other ways to go.

    Attributes:
        task: arm, limits, rule and surroundings.
        points: the joint vectors that it goes through.
        optimum: the motion and how it was found.
        comparison: the trapezoid, TOPP-RA and the optimum side by side.
    """

    task: Task
    points: Array
    optimum: Optimum
    comparison: Savings

    @property
    def motion(self) -> Motion:
        """What every joint does."""
        return self.optimum.motion

    @property
    def ledger(self) -> Ledger:
        """Where its energy goes."""
        book = self.comparison.optimum.ledger
        assert book is not None
        return book

    @property
    def saving(self) -> float:
        """Part of the trapezoid's motor energy that is saved."""
        return self.comparison.saving(self.comparison.optimum)


def optimize(
    arm: Arm,
    points: ArrayLike,
    seconds: float | None = None,
    *,
    slower: float | None = None,
    through: bool = False,
    limits: MotionLimits | None = None,
    rule: str | Regeneration = DEFAULT,
    idle: float = 0.0,
    around: Surroundings | None = None,
    trapezoid: Trapezoid = USUAL,
    told: Told | None = None,
) -> Optimized:
    """Return the motion of least energy through points.

    It never costs more than the trapezoid in the same time, if that keeps to the limits.

    Args:
        arm: an arm with masses, drives and motor constants.
        points: joint vectors (k, dof), k >= 2.
        seconds: total time [s].
        slower: or the time against the trapezoid's; 1 if neither is given. With idle power and
            neither, the time is free and chosen so that motors and idle power cost least.
        through: pass the points in between without stopping.
        limits: on speed, acceleration, jerk; the arm's own and 15 rad/s2 if not given.
        rule: what becomes of generated power.
        idle: power at standstill [W].
        around: what to keep clear of; itself and the plane it stands on if not given.
        trapezoid: the plain motion to compare with.
        told: is given a line after every step, for progress.

    Raises:
        PlanError: too little time, or no way clear of what is around.
        MissingDataError: the arm lacks masses, drives or motor constants.
        InputError: bad points, times, limits or rule.
    """
    place = Surroundings() if around is None else around
    task = Task(arm, limits or MotionLimits(), regeneration(rule), place)
    q = as_points(arm, points)
    if seconds is None and slower is None and idle > 0:
        best = best_time(task, q, idle, through=through, trapezoid=trapezoid, told=told)
    else:
        best = least_energy(
            task,
            q,
            seconds,
            slower=1.0 if slower is None else slower,
            through=through,
            trapezoid=trapezoid,
            told=told,
        )
    best = no_worse(task, q, best, trapezoid)
    return Optimized(task, q, best, compare(task, q, best, idle=idle, trapezoid=trapezoid))


def no_worse(task: Task, points: Array, best: Optimum, trapezoid: Trapezoid = USUAL) -> Optimum:
    """Return the optimum, or the trapezoid of the same time and limits where that costs less."""
    total = float(best.seconds.sum())
    plain = straight(task, points, total, trapezoid.vmax, trapezoid.amax)
    if plain is None or _motors(task, best) <= _motors(task, plain):
        return best
    return plain


def _motors(task: Task, best: Optimum) -> float:
    return ledger(task.arm, best.motion, rule=task.rule).motors
