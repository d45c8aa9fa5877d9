"""The fastest straight motion between points by TOPP-RA, an optional peer (package ``toppra``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armtwin.dynamics.drives import friction
from armtwin.dynamics.rigid_body import inverse_dynamics
from armtwin.errors import MissingDataError, PlanError
from armtwin.model.arm import Arm
from armtwin.model.drive import effort_limits
from armtwin.motion.limits import MotionLimits
from armtwin.motion.motion import RATE, Motion, grid
from armtwin.motion.optimal.curve import as_points
from armtwin.spatial import Array

GRID = 101
"""Points of the path at which TOPP-RA keeps the limits. Larger: slower; smaller: limits may be
exceeded between them."""


def fastest(
    arm: Arm, points: ArrayLike, limits: MotionLimits | None = None, rate: float = RATE
) -> Motion:
    """Return the fastest motion straight from point to point, at rest at every one.

    Speeds, accelerations and the arm's torque limits are kept; friction is taken as large as at
    top speed.

    Args:
        arm: the arm, with masses.
        points: joint vectors (k, dof) [rad | m].
        limits: on speed and acceleration; the arm's own if not given.
        rate: samples per second [Hz].

    Raises:
        MissingDataError: ``toppra`` is not installed.
        PlanError: TOPP-RA finds no motion.
    """
    try:
        import toppra
    except ImportError as error:
        raise MissingDataError("TOPP-RA is not installed; pip install toppra") from error
    q = as_points(arm, points)
    toppra.setup_logging("ERROR")
    legs = [_leg(arm, a, b, limits or MotionLimits()) for a, b in zip(q, q[1:], strict=False)]
    ends = np.cumsum([leg.duration for leg in legs])
    time = grid(float(ends[-1]), rate)
    number = np.minimum(np.searchsorted(ends, time, "right"), len(legs) - 1)
    parts = []
    for k, leg in enumerate(legs):
        t = np.minimum(time[number == k] - (ends[k] - leg.duration), leg.duration)
        parts.append([np.asarray(leg(t, order)) for order in range(3)])
    q, qd, qdd = (np.concatenate([part[order] for part in parts]) for order in range(3))
    return Motion(time, q, qd, qdd, f"TOPP-RA in {ends[-1]:.3f} s")


def _leg(arm: Arm, start: Array, end: Array, limits: MotionLimits) -> Any:
    import toppra
    from toppra import algorithm, constraint

    speed, acceleration, _ = limits.values(arm)
    rules = [
        constraint.JointVelocityConstraint(np.stack([-speed, speed], 1)),
        constraint.JointAccelerationConstraint(np.stack([-acceleration, acceleration], 1)),
        *_torques(arm, speed),
    ]
    path = toppra.SplineInterpolator([0.0, 1.0], np.stack([start, end]))
    found = algorithm.TOPPRA(
        rules, path, gridpoints=np.linspace(0, 1, GRID), parametrizer="ParametrizeConstAccel"
    ).compute_trajectory(0, 0)
    if found is None:
        raise PlanError("TOPP-RA finds no motion within speed, acceleration and torque limits")
    return found


def _torques(arm: Arm, speed: Array) -> list[object]:
    from toppra import constraint

    limit = effort_limits(arm)
    if not np.isfinite(limit).all():
        return []
    rubbing = np.zeros(arm.dof)
    if all(joint.drive is not None for joint in arm.driven):
        rubbing = np.abs(friction(arm, np.minimum(speed, 1e3)))

    def rigid(q: Array, qd: Array, qdd: Array) -> Array:
        return inverse_dynamics(arm, q, qd, qdd, ignore_limits=True)

    return [constraint.JointTorqueConstraint(rigid, np.stack([-limit, limit], 1), rubbing)]
