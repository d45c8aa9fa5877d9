"""Jerk-limited joint motion to a target or to rest, computed by ruckig.

A motion is computed once, when its target is given, and then evaluated at any time. So it does not
depend on how often or how regularly it is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ruckig import ControlInterface, InputParameter, Result, Ruckig, Synchronization, Trajectory

from armtwin.errors import PlanError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

DEFAULT_SPEED = 2.0
"""Speed limit of a joint whose arm file gives none [rad/s | m/s]."""
ACCELERATION_TIME = 0.1
"""Time from rest to the speed limit [s] where the arm file gives no acceleration."""
JERK_TIME = 0.02
"""Time from zero to the acceleration limit [s]; arm files give no jerk. Two sample periods at
100 Hz: smooth, and a stop takes at most two such times longer than without a jerk limit."""


@dataclass(frozen=True, eq=False)
class RateLimits:
    """Limits of every joint, (dof,) each: speed [rad/s], acceleration [rad/s2], jerk [rad/s3]."""

    speed: Array
    acceleration: Array
    jerk: Array

    @classmethod
    def of(cls, arm: Arm) -> RateLimits:
        """Return an arm's own limits, with defaults where its file gives none."""
        limits = [joint.limits for joint in arm.driven]
        speed = np.array([DEFAULT_SPEED if a.speed is None else a.speed for a in limits])
        given = [np.nan if a.acceleration is None else a.acceleration for a in limits]
        acceleration = np.where(np.isnan(given), speed / ACCELERATION_TIME, given)
        return cls(speed, acceleration, acceleration / JERK_TIME)


class MotionGenerator:
    """Moves joints as fast as their limits allow.

    Times are on any one clock [s], and must not decrease from call to call.

    Args:
        q: where the joints rest at first (dof,) [rad | m].
        limits: speed, acceleration and jerk that are never exceeded.

    Attributes:
        target: where the joints rest at the end of the motion (dof,) [rad | m].
    """

    def __init__(self, q: Array, limits: RateLimits) -> None:
        self.limits, self.target = limits, q.copy()
        self._trajectory = Trajectory(len(q))
        self._begin = self._end = -np.inf

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """Return position, speed and acceleration (dof,) at a time."""
        if time >= self._end:
            return self.target.copy(), np.zeros_like(self.target), np.zeros_like(self.target)
        q, qd, qdd = self._trajectory.at_time(max(time - self._begin, 0.0))
        return np.array(q), np.array(qd), np.array(qdd)

    def is_moving(self, time: float) -> bool:
        """Return whether the motion has not ended at a time."""
        return time < self._end

    def move(self, q: Array, time: float, *, share: float = 1.0) -> None:
        """Start towards a position; from rest, on a straight line in joint space.

        Joints that move already are not synchronized: a synchronized joint may pass its target to
        arrive with the others, an unsynchronized one passes it only if it cannot brake before it.

        Args:
            q: target (dof,) [rad | m].
            time: now [s].
            share: of the speed limits, above 0 and at most 1.

        Raises:
            PlanError: there is no such motion; the one before goes on.
        """
        request = self._request(time)
        request.max_velocity = share * self.limits.speed
        request.target_position = q
        moving = self.is_moving(time)
        request.synchronization = Synchronization.No if moving else Synchronization.Phase
        self._start(request, time)
        self.target = q.copy()

    def brake(self, time: float) -> None:
        """Bring every joint to rest as fast as its acceleration and jerk limits allow."""
        request = self._request(time)
        request.control_interface = ControlInterface.Velocity
        request.max_velocity = self.limits.speed
        request.synchronization = Synchronization.No
        self._start(request, time)
        self.target = np.array(self._trajectory.at_time(self._end - time)[0])

    def _request(self, time: float) -> InputParameter:
        """Return the state now and the limits; target speed and acceleration are zero."""
        q, qd, qdd = self.at(time)
        request = InputParameter(len(q))
        request.current_position, request.current_velocity = q, qd
        bound = self.limits.acceleration
        request.current_acceleration = np.clip(qdd, -bound, bound)  # rounding may exceed it
        request.max_acceleration, request.max_jerk = bound, self.limits.jerk
        return request

    def _start(self, request: InputParameter, time: float) -> None:
        trajectory = Trajectory(len(self.target))
        result = Ruckig(len(self.target)).calculate(request, trajectory)
        if result not in (Result.Working, Result.Finished):
            raise PlanError(f"no motion within the limits was found: {result}")
        self._trajectory, self._begin = trajectory, time
        self._end = time + trajectory.duration
