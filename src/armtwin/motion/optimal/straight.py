"""The trapezoid as an answer: where limits leave the optimiser's splines too little time.

At the same limits on speed and acceleration no straight motion is faster than the trapezoid, whose
acceleration jumps. Splines cannot jump, so they need more time than it takes (see ``held``).
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import PlanError
from armtwin.motion.motion import Motion
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.motion.timing import trapezoid_duration
from armtwin.motion.waypoints import Waypoints
from armtwin.spatial import Array

UNLIMITED = 1e6
"""Speed that means no limit [rad/s | m/s]."""
ROUNDING = 1e-6
"""Part by which rates may exceed their limits, by rounding."""
TOO_SHORT = "straight trapezoids: in this time the limits leave no other motion between points"
NOT_FOUND = "straight trapezoids: the optimiser found no other motion within the limits and time"
CHEAPER = "straight trapezoids: they cost less than the motion that the optimiser found"


def straight(task: Task, points: Array, total: float, vmax: float, amax: float) -> Optimum | None:
    """Return trapezoids from point to point that last a given time, or None if none is allowed.

    Args:
        task: arm, limits, rule and surroundings.
        points: joint vectors (k, dof).
        total: time of the motion [s].
        vmax: top speed of the usual trapezoid, which is stretched or compressed in time [rad/s].
        amax: its acceleration [rad/s2]. Where this shape does not keep to the limits, the
            trapezoid that uses them fully is tried.
    """
    speed, acceleration, jerk = task.limits.values(task.arm)
    if np.isfinite(jerk).any():
        return None
    for v, a in ((vmax, amax), (np.minimum(speed, UNLIMITED), acceleration)):
        found = _stretched(task, points, total, v, a)
        if found is not None and _keeps(found.motion, speed, acceleration):
            return found
    return None


def noted(plain: Optimum, note: str) -> Optimum:
    """Return trapezoids with the reason why they are the answer as their first note."""
    motion = dataclasses.replace(plain.motion, notes=(note, *plain.motion.notes))
    return dataclasses.replace(plain, motion=motion)


def _stretched(
    task: Task, points: Array, total: float, v: ArrayLike, a: ArrayLike
) -> Optimum | None:
    seconds = _durations(points, np.asarray(v, float), np.asarray(a, float))
    factor = total / float(seconds.sum())
    path = Waypoints(points, np.asarray(v) / factor, np.asarray(a) / factor**2)
    nan = float("nan")
    try:
        motion = path.motion(task.arm, task.rate)
        motion = dataclasses.replace(motion, notes=())
        legs = np.full(len(seconds), nan)
        return task.checked(Optimum(motion, seconds * factor, nan, legs, 0, 0.0, ()))
    except PlanError:
        return None


def _durations(points: Array, v: Array, a: Array) -> Array:
    distances = np.maximum(np.abs(np.diff(points, axis=0)), 1e-12)
    return np.array(
        [trapezoid_duration(float((v / d).min()), float((a / d).min())) for d in distances]
    )


def _keeps(motion: Motion, speed: Array, acceleration: Array) -> bool:
    return bool(
        (np.abs(motion.qd) <= speed * (1 + ROUNDING)).all()
        and (np.abs(motion.qdd) <= acceleration * (1 + ROUNDING)).all()
    )
