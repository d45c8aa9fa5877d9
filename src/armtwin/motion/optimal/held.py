"""Motions in the trapezoid's own time: a joint that it takes to its limits keeps to it.

Splines cannot jump in acceleration, so a joint whose limits the trapezoid uses fully has too little
time for one. The other joints have time to spare, and are optimised beside it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import PlanError
from armtwin.motion.motion import Motion
from armtwin.motion.optimal.curve import leg_basis
from armtwin.motion.optimal.profile import fastest_profile, least_time, quintic_profile
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.motion.optimal.straight import NOT_FOUND, TOO_SHORT, noted
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.equations.optimal.programme import ProgrammeBounds
    from armtwin.equations.optimal.spline import Basis

NOTE = "joint {} keeps to trapezoids, as the limits leave no time for splines; others are optimised"
ROUNDING = 1e-9
"""Time by which samples at a leg's ends may lie beside it, by rounding [s]."""


@dataclass(frozen=True, eq=False)
class HeldTask(Task):
    """A task of one leg in which some joints follow a given motion.

    Their splines are zero, and the states of the given motion are added.

    Attributes:
        plain: the given motion, of all legs.
        start: time at which the leg starts in it [s].
        seconds: duration of the leg [s].
        held: which joints follow it (dof,).
    """

    plain: Motion = field(kw_only=True)
    start: float = field(kw_only=True)
    seconds: float = field(kw_only=True)
    held: NDArray[np.bool_] = field(kw_only=True)

    def solve_between(self, start: Array, end: Array) -> Optimum:
        """Return the motion of least energy of the leg between two points (dof,) [rad | m]."""
        first, last = (np.where(self.held, 0.0, point) for point in (start, end))
        return self.solve_leg(first, last, self.seconds, None)

    @property
    def bounds(self) -> ProgrammeBounds:
        """Constraints of the optimiser."""
        bounds = super().bounds
        lower, upper = (np.where(self.held, 0.0, side) for side in (bounds.lower, bounds.upper))
        return dataclasses.replace(bounds, lower=lower, upper=upper)

    @property
    def rows(self) -> NDArray[np.bool_]:
        """Which samples of the given motion belong to the leg (n,)."""
        since = self.plain.time - self.start
        return np.asarray((since >= -ROUNDING) & (since <= self.seconds + ROUNDING))

    def given(self, basis: Basis) -> Array:
        """Return the states of the joints that are held at the Gauss points (points, 3 dof)."""
        time = self.start + basis.quadrature[0] * self.seconds
        states = np.hstack([self.plain.q, self.plain.qd, self.plain.qdd])
        columns = [np.interp(time, self.plain.time, column) for column in states.T]
        return np.stack(columns, axis=1) * np.tile(self.held, 3)

    def sampled(self, controls: Array, seconds: Array, basis: Basis) -> Motion:
        """Return the leg, sampled as the given motion.

        Args:
            controls: control points (1, count, dof) [rad | m].
            seconds: duration of the leg (1,) [s].
            basis: of the splines.
        """
        rows, T = self.rows, float(seconds[0])
        time = self.plain.time[rows] - self.start
        x = np.clip(time / T, 0.0, 1.0)
        q, qd, qdd = (
            np.where(self.held, given[rows], basis.values(x, order) @ controls[0] / T**order)
            for order, given in enumerate((self.plain.q, self.plain.qd, self.plain.qdd))
        )
        return Motion(time, q, qd, qdd, f"least energy in {T:.3f} s")


def beside_trapezoids(task: Task, points: Array, plain: Optimum) -> Optimum:
    """Return trapezoids in which the joints with time to spare are optimised.

    Legs in which there are none, or in which nothing is found, stay as they are.

    Args:
        task: arm, limits, rule and surroundings.
        points: joint vectors (k, dof) [rad | m].
        plain: the trapezoids, at rest at every point.
    """
    starts = np.cumsum([0.0, *plain.seconds[:-1]]).tolist()
    states = [part.copy() for part in (plain.motion.q, plain.motion.qd, plain.motion.qdd)]
    found, following, note = dict[int, Optimum](), np.zeros(task.arm.dof, bool), TOO_SHORT
    for k, T in enumerate(plain.seconds.tolist()):
        leg = _held_task(task, points[k : k + 2], plain.motion, starts[k], T)
        if leg.held.all():
            continue
        try:
            best = leg.solve_between(points[k], points[k + 1])
        except PlanError:
            note = NOT_FOUND
            continue
        parts = best.motion.q, best.motion.qd, best.motion.qdd
        for whole, part in zip(states, parts, strict=True):
            whole[leg.rows] = part
        found[k], following = best, following | leg.held
    if not found:
        return noted(plain, note)
    return _put_together(task, plain, states, found, following)


def _held_task(task: Task, ends: Array, plain: Motion, start: float, T: float) -> HeldTask:
    given = {name: getattr(task, name) for name in task.__dataclass_fields__}
    basis = leg_basis()
    distance, rates = np.abs(ends[1] - ends[0]), task.limits.values(task.arm)
    held = [
        _too_short(basis, tuple(float(limit[j] / d) for limit in rates), T) if d > 0 else False
        for j, d in enumerate(distance)
    ]
    return HeldTask(**given, plain=plain, start=start, seconds=T, held=np.array(held))


def _too_short(basis: Basis, rates: tuple[float, ...], T: float) -> bool:
    """Return whether no spline from 0 to 1 keeps to rates [1/s, 1/s2, 1/s3] in T seconds."""
    if least_time(basis, quintic_profile(basis), rates) <= T:
        return False
    return fastest_profile(basis, rates)[0] > T


def _put_together(
    task: Task,
    plain: Optimum,
    states: list[Array],
    found: dict[int, Optimum],
    following: NDArray[np.bool_],
) -> Optimum:
    """Return the whole motion with the solver's figures of the legs that were optimised."""
    joints = ", ".join(str(j + 1) for j in np.flatnonzero(following))
    notes = (NOTE.format(joints),) if joints else ()
    name, (q, qd, qdd) = f"least energy in {plain.seconds.sum():.3f} s", states
    motion = Motion(plain.motion.time, q, qd, qdd, name, notes)
    legs, nan = len(plain.seconds), float("nan")
    whole = dataclasses.replace(
        plain,
        motion=motion,
        promised=sum(found[k].promised if k in found else nan for k in range(legs)),
        marginal=np.array([found[k].marginal[0] if k in found else nan for k in range(legs)]),
        iterations=sum(leg.iterations for leg in found.values()),
        solve_seconds=sum(leg.solve_seconds for leg in found.values()),
    )
    return task.checked(whole)
