r"""Optimal motions of a given total time, which is shared between the legs.

A leg's energy falls with its time about as ``E = A + B / T^2``. The optimiser returns the slope, so
``B = -E' T^3 / 2``, and a given total is best shared as ``T ~ B^(1/3)``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError, PlanError
from armtwin.motion.clearance.clearance import clearances
from armtwin.motion.optimal.curve import as_points, leg_basis, sampled
from armtwin.motion.optimal.held import beside_trapezoids
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.motion.optimal.straight import straight
from armtwin.motion.timing import trapezoid_duration
from armtwin.progress import OnProgress, report_step
from armtwin.spatial import Array

SHARING = 3
"""Rounds in which times are shared; each solves all legs again. ``ENOUGH`` ends them earlier."""
ENOUGH = 2e-3
"""A gain below this part of the energy ends the sharing of times."""


@dataclass(frozen=True)
class Trapezoid:
    """The plain motion that times are measured by: its top speed and acceleration."""

    vmax: float = 3.0
    amax: float = 6.0

    def seconds(self, points: Array) -> Array:
        """Return the time of every leg [s]."""
        if not (self.vmax > 0 and self.amax > 0):
            raise InputError(f"vmax and amax must be positive, got {self.vmax} and {self.amax}")
        distance = np.abs(np.diff(points, axis=0)).max(axis=1)
        return np.array([trapezoid_duration(self.vmax / w, self.amax / w) for w in distance])


USUAL = Trapezoid()


def least_energy(
    task: Task,
    points: ArrayLike,
    seconds: float | None = None,
    *,
    slower: float = 1.0,
    through: bool = False,
    trapezoid: Trapezoid = USUAL,
    on_progress: OnProgress | None = None,
) -> Optimum:
    """Return the motion of least energy through points in a given total time.

    Where the limits leave the splines too little time but trapezoids keep to them (as at equal
    limits and in equal time), the joints that have no time to spare follow trapezoids.

    Args:
        task: arm, limits, rule and surroundings.
        points: joint vectors (k, dof), k >= 2.
        seconds: total time [s]; that of the trapezoid times ``slower`` if not given.
        slower: how much longer than the trapezoid it may take.
        through: pass the points in between without stopping.
        trapezoid: the plain motion that gives the first shares of time.
        on_progress: called after every step.

    Raises:
        PlanError: too little time, or no motion clear of the obstacles.
        InputError: bad points or times.
    """
    q = as_points(task.arm, points)
    _require_clearance(task, q)
    shares = trapezoid.seconds(q)
    total = float(shares.sum()) * slower if seconds is None else float(seconds)
    if not (np.isfinite(total) and total > 0):
        raise InputError(f"a motion lasts a positive time, got {total} s (slower {slower})")
    try:
        return _best(task, q, shares * total / shares.sum(), through, on_progress)
    except PlanError:
        plain = straight(task, q, total, trapezoid.vmax, trapezoid.amax)
        if plain is None:
            raise
        return beside_trapezoids(task, q, plain)


def _best(
    task: Task, q: Array, shares: Array, through: bool, on_progress: OnProgress | None
) -> Optimum:
    """Return the best motion that stops at every point, or with ``through`` that may pass them."""
    if not through or len(q) == 2:
        return _stopping(task, q, shares, on_progress)
    try:
        stops = _stopping(task, q, shares, on_progress)
    except PlanError:  # too little time to stop at every point
        return _passing(task, q, shares, None, on_progress)
    try:
        passing = _passing(task, q, stops.seconds, stops, on_progress)
    except PlanError:
        return stops
    return min(stops, passing, key=lambda found: found.promised)


def _stopping(task: Task, q: Array, shares: Array, on_progress: OnProgress | None) -> Optimum:
    total = float(shares.sum())
    least = _least(task, q, total)
    first = _stopped(task, q, _feasible(shares, least, total), None)
    return _shared(task, q, first, least, on_progress)


def _passing(
    task: Task, q: Array, times: Array, stops: Optimum | None, on_progress: OnProgress | None
) -> Optimum:
    return _shared(task, q, task.solve_through(q, times, stops), None, on_progress)


def _require_clearance(task: Task, q: Array) -> None:
    """Raise PlanError for points at which a clearance is below the margin already."""
    if task.around is None:
        return
    distances, names = clearances(task.arm, q, task.around)
    if distances.min() < task.around.margin:
        row, place = np.unravel_index(int(distances.argmin()), distances.shape)
        raise PlanError(
            f"at point {row + 1} {names[place]} are {distances[row, place]:.3f} m apart; "
            f"{task.around.margin:g} m is required; move the point, or change floor, obstacles or "
            "margin"
        )


def _least(task: Task, q: Array, total: float) -> Array:
    """Return the least time of every leg [s]; the exact one only where time is short."""
    legs = list(zip(q[:-1], q[1:], strict=True))
    soft = np.array([task.soft(a, b) for a, b in legs])
    return soft if soft.sum() <= total else np.array([task.fastest(a, b) for a, b in legs])


def _feasible(times: Array, least: Array, total: float) -> Array:
    """Return times of the same sum, none below the least."""
    if least.sum() > total:
        raise PlanError(
            f"{total:.3f} s are too short: within the limits on speed, acceleration and jerk the "
            f"motion takes {least.sum():.3f} s from point to point; give more time or wider limits"
        )
    spare = np.maximum(times - least, 0.0)
    rest = total - float(least.sum())
    return least + (spare * rest / spare.sum() if spare.sum() > 0 else rest / len(least))


def _shared(
    task: Task,
    q: Array,
    first: Optimum,
    least: Array | None,
    on_progress: OnProgress | None,
) -> Optimum:
    """Return the best motion over a few rounds of sharing the time between legs.

    Args:
        task: arm, limits, rule and surroundings.
        q: joint vectors (k, dof) [rad | m].
        first: motion with the first shares of time.
        least: least time of every leg (k - 1,) [s]; None where the points are passed.
        on_progress: called after every round.
    """
    _report(on_progress, first, len(q) - 1)
    best = last = first
    total = float(first.seconds.sum())
    for _ in range(SHARING if len(q) > 2 else 0):
        B = np.maximum(-last.marginal, 1e-3) * last.seconds**3
        shares = np.cbrt(B) / np.cbrt(B).sum() * total
        try:
            if least is None:
                last = task.solve_through(q, shares, last)
            else:
                last = _stopped(task, q, _feasible(shares, least, total), last)
        except PlanError:
            break  # too short for a leg: what was found before stands
        _report(on_progress, last, len(q) - 1)
        gain = best.promised - last.promised
        best = last if gain > 0 else best
        if gain < ENOUGH * best.promised:
            break
    return best


def _stopped(task: Task, q: Array, times: Array, guess: Optimum | None) -> Optimum:
    legs = []
    for k, T in enumerate(times):
        near = None if guess is None else _leg(guess, k)
        legs.append(task.solve_leg(q[k], q[k + 1], float(T), near))
    return legs[0] if len(legs) == 1 else _joined(task, legs)


def _leg(whole: Optimum, k: int) -> Optimum:
    return dataclasses.replace(
        whole, seconds=whole.seconds[k : k + 1], solutions=whole.solutions[k : k + 1]
    )


def _joined(task: Task, legs: list[Optimum]) -> Optimum:
    """Return legs from rest to rest as one motion."""
    seconds = np.concatenate([leg.seconds for leg in legs])
    solutions = tuple(solution for leg in legs for solution in leg.solutions)
    controls = np.concatenate([solution.controls for solution in solutions])
    motion = sampled(controls, seconds, leg_basis(), task.rate)
    notes = tuple(dict.fromkeys(note for leg in legs for note in leg.motion.notes))
    kept = legs[0].kept_apart
    for leg in legs[1:]:
        kept = kept | leg.kept_apart
    return Optimum(
        dataclasses.replace(motion, notes=notes),
        seconds,
        sum(leg.promised for leg in legs),
        np.concatenate([leg.marginal for leg in legs]),
        sum(leg.iterations for leg in legs),
        sum(leg.solve_seconds for leg in legs),
        solutions,
        kept,
    )


def _report(on_progress: OnProgress | None, best: Optimum, legs: int) -> None:
    text = f"{legs} legs in {best.seconds.sum():.3f} s: {best.promised:.1f} J"
    report_step(on_progress, text)
