"""Energy against time: the Pareto curve, and the time that costs least with idle power counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError, PlanError
from armtwin.motion.motion import Motion
from armtwin.motion.optimal.curve import as_points
from armtwin.motion.optimal.leg_times import USUAL, Trapezoid, least_energy
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.progress import OnProgress

SLOWEST = 8.0
"""The longest time that is looked at, as a multiple of the trapezoid's."""
SEARCH = 12
"""Most motions that the search for the best time computes; each is an optimisation of its own."""


@dataclass(frozen=True, eq=False)
class ParetoPoint:
    """Time against the trapezoid's, and the motion of least energy in it."""

    slower: float
    optimum: Optimum

    @property
    def motion(self) -> Motion:
        """Motion of every joint."""
        return self.optimum.motion


def pareto(
    task: Task,
    points: ArrayLike,
    factors: ArrayLike = (1.0, 1.25, 1.5, 2.0, 2.5),
    *,
    trapezoid: Trapezoid = USUAL,
    through: bool = False,
) -> Iterator[ParetoPoint]:
    """Yield motions of least energy for times that are multiples of the trapezoid's.

    Times too short for the limits are left out.

    Args:
        task: arm, limits, rule and surroundings.
        points: joint vectors (k, dof) [rad | m].
        factors: times as multiples of the trapezoid's.
        trapezoid: the motion to compare with.
        through: pass the points in between without stopping.
    """
    for factor in np.sort(np.asarray(factors, float).ravel()):
        try:
            best = least_energy(
                task, points, slower=float(factor), through=through, trapezoid=trapezoid
            )
        except PlanError:
            continue
        yield ParetoPoint(float(factor), best)


def best_time(
    task: Task,
    points: ArrayLike,
    idle: float,
    *,
    through: bool = False,
    trapezoid: Trapezoid = USUAL,
    on_progress: OnProgress | None = None,
) -> Optimum:
    r"""Return the motion of least motor and idle energy together; its time is free.

    .. math:: \min_T E(T) + P_{idle} T

    The more a robot draws at rest, the faster the cheapest motion.

    Args:
        task: arm, limits, rule and surroundings.
        points: joint vectors (k, dof) [rad | m].
        idle: power at standstill [W].
        through: pass the points in between without stopping.
        trapezoid: the motion whose time is the starting value.
        on_progress: called after every step of the solver.
    """
    from scipy.optimize import minimize_scalar

    if not (np.isfinite(idle) and idle >= 0):
        raise InputError(f"idle power is a number of watts, 0 or more; got {idle}")
    q = as_points(task.arm, points)
    usual = float(trapezoid.seconds(q).sum())
    least = sum(task.fastest(a, b) for a, b in zip(q[:-1], q[1:], strict=True))
    found: dict[float, Optimum] = {}

    def cost(T: float) -> float:
        found[T] = least_energy(
            task, q, T, through=through, trapezoid=trapezoid, on_progress=on_progress
        )
        return _cost(found[T], idle, T)

    span = (1.001 * least, SLOWEST * usual)
    options = {"maxiter": SEARCH, "xatol": 0.01 * usual}
    minimize_scalar(cost, bounds=span, method="bounded", options=options)
    cost(span[0])
    return found[min(found, key=lambda T: _cost(found[T], idle, T))]


def _cost(best: Optimum, idle: float, T: float) -> float:
    """Return motor and idle energy [J]; infinite for trapezoids, whose energy is not modelled."""
    return best.promised + idle * T if np.isfinite(best.promised) else float("inf")
