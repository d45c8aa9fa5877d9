"""Informative trapezoids through waypoints, improved one waypoint at a time."""

from __future__ import annotations

import numpy as np

from armtwin.errors import InputError, PlanError
from armtwin.motion.clearance.clearance import clearances
from armtwin.motion.excitation.excitation import (
    RANDOM,
    SAMPLES,
    Excitation,
    ExcitationProblem,
    one_thread,
    outside_box,
    valued,
)
from armtwin.motion.excitation.information import Information, information
from armtwin.motion.excitation.random_waypoints import STEPS, random_points
from armtwin.motion.waypoints import Waypoints
from armtwin.spatial import Array

TRIES = 400
"""Moves of a waypoint that are tried."""


def excite_waypoints(
    request: ExcitationProblem, points: int = 6, *, tries: int = TRIES
) -> Excitation:
    """Return trapezoids through waypoints and back to the first.

    Of some random cycles the best is taken; then one waypoint after the other is moved at random,
    ever less, and kept where the motion is more informative and stays within the limits.

    Args:
        request: the arm and the limits.
        points: how many waypoints.
        tries: how many moves of a waypoint are tried.

    Raises:
        PlanError: no random waypoints keep to the limits.
    """
    if points < 2 or tries < 0:
        raise InputError(f"give two or more waypoints and 0 or more tries, got {points}, {tries}")
    speed, acceleration, _ = request.limits.values(request.arm)
    rng = np.random.default_rng(request.seed)
    with one_thread():
        measure = information(request.arm, speed, acceleration)
        starts = _starts(request, measure, rng, points)
        usual = float(np.mean([amount for amount, _ in starts]))
        starts.sort(key=lambda start: start[0])
        better = _improved(request, measure, rng, *starts[-1], tries)
        return _best_kept(request, measure, [q for _, q in starts] + better, usual)


def _best_kept(
    request: ExcitationProblem, measure: Information, cycles: list[Array], usual: float
) -> Excitation:
    """Return the last cycle that keeps to every limit between the samples of the search, too."""
    refused: PlanError | None = None
    for q in reversed(cycles):
        try:
            motion = _trapezoids(request, q).motion(request.arm, request.rate)
            return valued(request, measure, motion, "waypoints", usual, np.vstack([q, q[:1]]))
        except PlanError as error:
            refused = refused or error
    raise refused or PlanError("no cycle of waypoints was found")


def _starts(
    request: ExcitationProblem, measure: Information, rng: np.random.Generator, points: int
) -> list[tuple[float, Array]]:
    found = []
    for number in range(RANDOM):
        request.report("drawing random waypoints", 0.3 * number / RANDOM)
        q = random_points(request.arm, rng, points, *request.range, request.around)
        amount = _amount(request, measure, q)
        if np.isfinite(amount) and _inside(request, q):
            found.append((amount, q))
    if not found:
        raise PlanError(
            f"none of {RANDOM} random cycles of {points} waypoints keeps the tool in the box and "
            "identifies every parameter; widen the box or take more waypoints"
        )
    return found


def _trapezoids(request: ExcitationProblem, q: Array) -> Waypoints:
    speed, acceleration, _ = request.limits.values(request.arm)
    return Waypoints(np.vstack([q, q[:1]]), speed, acceleration)


def _amount(request: ExcitationProblem, measure: Information, q: Array) -> float:
    motion = _trapezoids(request, q).motion(request.arm, SAMPLES / 4)
    return measure.amount(motion.q, motion.qd, motion.qdd)


def _inside(request: ExcitationProblem, q: Array) -> bool:
    legs = zip(q, np.roll(q, -1, axis=0), strict=True)
    states = np.concatenate([np.linspace(a, b, STEPS) for a, b in legs])
    if outside_box(request, states):
        return False
    return bool((clearances(request.arm, states, request.around)[0] >= request.around.margin).all())


def _improved(
    request: ExcitationProblem,
    measure: Information,
    rng: np.random.Generator,
    amount: float,
    q: Array,
    tries: int,
) -> list[Array]:
    """Return cycles, each more informative than the one before."""
    low, high = request.range
    found: list[Array] = []
    for number in range(tries):
        request.report("moving waypoints", 0.3 + 0.7 * number / tries)
        trial = q.copy()
        step = (high - low) * 0.3 * 0.1 ** (number / tries)
        which = int(rng.integers(len(q)))
        trial[which] = np.clip(trial[which] + step * rng.normal(size=q.shape[1]), low, high)
        if not _inside(request, trial):
            continue
        new = _amount(request, measure, trial)
        if new > amount:
            amount, q = new, trial
            found.append(q)
    return found
