"""Jerk-limited joint motion to a target or to rest, computed by ruckig.

A motion is fixed when its target is given, and can be evaluated at any time. So it does not depend
on how often or how regularly it is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import PlanError
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.spatial import Array

if TYPE_CHECKING:
    from ruckig import InputParameter, Trajectory

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


@dataclass(frozen=True, eq=False)
class _Plan:
    """The inputs of a motion; ``target`` is None for braking.

    A plan holds no object of ruckig: its bindings complain about objects that are alive when the
    interpreter ends. Computing a trajectory again takes less than 0.1 ms.
    """

    state: tuple[Array, Array, Array]
    target: Array | None
    speed: Array
    synchronized: bool

    def trajectory(self, limits: RateLimits) -> Trajectory:
        """Return the time-optimal trajectory.

        Raises:
            PlanError: there is none.
        """
        q, qd, qdd = self.state
        from ruckig import ControlInterface, InputParameter, Synchronization

        request = InputParameter(len(q))
        request.current_position, request.current_velocity = q, qd
        bound = limits.acceleration
        request.current_acceleration = np.clip(qdd, -bound, bound)  # rounding may exceed it
        request.max_velocity = self.speed
        request.max_acceleration, request.max_jerk = bound, limits.jerk
        if self.target is None:
            request.control_interface = ControlInterface.Velocity
        else:
            request.target_position = self.target
        request.synchronization = Synchronization.Phase if self.synchronized else Synchronization.No
        return _calculated(request)


def _calculated(request: InputParameter) -> Trajectory:
    from ruckig import Result, Ruckig, Trajectory

    trajectory = Trajectory(request.degrees_of_freedom)
    result = Ruckig(request.degrees_of_freedom).calculate(request, trajectory)
    if result not in (Result.Working, Result.Finished):
        raise PlanError(f"no motion within the limits was found: {result}")
    return trajectory


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
        self._plan: _Plan | Motion | None = None
        self._begin = self._end = -np.inf

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """Return position, speed and acceleration (dof,) at a time."""
        if self._plan is None or time >= self._end:
            return self.target.copy(), np.zeros_like(self.target), np.zeros_like(self.target)
        if isinstance(self._plan, Motion):
            return self._plan.at(time - self._begin)
        trajectory = self._plan.trajectory(self.limits)
        q, qd, qdd = trajectory.at_time(max(time - self._begin, 0.0))
        return np.array(q), np.array(qd), np.array(qdd)

    @property
    def end(self) -> float:
        """When the motion ends [s]; minus infinity before the first one."""
        return self._end

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
        speed, resting = share * self.limits.speed, not self.is_moving(time)
        self._start(_Plan(self.at(time), q.copy(), speed, resting), time)
        self.target = q.copy()

    def follow(self, motion: Motion, time: float) -> None:
        """Follow a motion that begins where the joints rest now, within its own limits."""
        self._plan, self._begin, self._end = motion, time, time + motion.duration
        self.target = motion.q[-1].copy()

    def brake(self, time: float) -> None:
        """Bring every joint to rest as fast as its acceleration and jerk limits allow."""
        trajectory = self._start(_Plan(self.at(time), None, self.limits.speed, False), time)
        self.target = np.array(trajectory.at_time(trajectory.duration)[0])

    def _start(self, plan: _Plan, time: float) -> Trajectory:
        trajectory = plan.trajectory(self.limits)
        self._plan, self._begin, self._end = plan, time, time + trajectory.duration
        return trajectory


class SpeedProfile:
    """Speed along one coordinate within an acceleration and a jerk limit.

    For robots that take speeds, such as a UR controller's ``speedj``.

    Args:
        acceleration: limit [rad/s2 | m/s2]; the jerk limit builds it up in ``JERK_TIME``.
    """

    def __init__(self, acceleration: float) -> None:
        self._acceleration = acceleration

    def after(
        self, state: tuple[float, float], target: float, seconds: float
    ) -> tuple[float, float]:
        """Return speed and acceleration while the speed changes to a target.

        Args:
            state: speed [rad/s | m/s] and acceleration [rad/s2 | m/s2] now.
            target: speed to reach [rad/s | m/s].
            seconds: time from now [s].
        """
        trajectory = self._trajectory(state, target)
        _, speed, acceleration = trajectory.at_time(min(seconds, trajectory.duration))
        return float(speed[0]), float(acceleration[0])

    def stopping_distance(self, speed: float) -> float:
        """Return the distance [rad | m] until rest from a steady speed [rad/s | m/s]."""
        trajectory = self._trajectory((speed, 0.0), 0.0)
        return float(trajectory.at_time(trajectory.duration)[0][0])

    def _trajectory(self, state: tuple[float, float], target: float) -> Trajectory:
        bound = self._acceleration
        from ruckig import ControlInterface, InputParameter

        request = InputParameter(1)
        request.control_interface = ControlInterface.Velocity
        request.current_velocity, request.target_velocity = [state[0]], [target]
        request.current_acceleration = [min(max(state[1], -bound), bound)]
        request.max_acceleration, request.max_jerk = [bound], [bound / JERK_TIME]
        return _calculated(request)
