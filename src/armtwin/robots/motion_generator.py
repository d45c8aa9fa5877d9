"""Jerk-limited joint motion to a target or to rest, computed by ruckig.

A motion is fixed when its target is given, and can be evaluated at any time. So it does not depend
on how often or how regularly it is evaluated.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import PlanError
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.robots.joint_trajectories import (
    ROUNDING,
    AlongLine,
    JointByJoint,
    Rates,
    along_line,
    calculated,
)
from armtwin.spatial import Array

if TYPE_CHECKING:
    from ruckig import Trajectory

DEFAULT_SPEED = 2.0
"""Speed limit of a joint whose arm file gives none [rad/s | m/s]."""
ACCELERATION_TIME = 0.1
"""Time from rest to the speed limit [s] where the arm file gives no acceleration."""
JERK_TIME = 0.02
"""Time from zero to the acceleration limit [s]; arm files give no jerk. Two sample periods at
100 Hz: smooth, and a stop takes at most two such times longer than without a jerk limit."""
LONGER, EXTRA = 1.5, 0.05
"""A motion on a line may take 1.5 times as long as the slowest joint needs by itself and 0.05 s
more; braking on it 0.05 s more: an acceleration across the line dies out within that."""
OVERSHOOT = 5e-4
"""Distance by which a joint on a line may pass its target for the sake of the line [rad | m]."""


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
        ranges: smallest and largest positions (dof,) that a motion along a line must not pass
            [rad | m]; None for no such limits. Targets are not checked against them.

    Attributes:
        target: where the joints rest at the end of the motion (dof,) [rad | m].
    """

    def __init__(
        self, q: Array, limits: RateLimits, ranges: tuple[Array, Array] | None = None
    ) -> None:
        self.limits, self.target = limits, q.copy()
        self._ranges = ranges or (np.full_like(q, -np.inf), np.full_like(q, np.inf))
        self._plan: AlongLine | JointByJoint | Motion | None = None
        self._begin = self._end = -np.inf

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """Return position, speed and acceleration (dof,) at a time."""
        if self._plan is None or time >= self._end:
            return self.target.copy(), np.zeros_like(self.target), np.zeros_like(self.target)
        return self._plan.at(max(time - self._begin, 0.0))

    @property
    def end(self) -> float:
        """When the motion ends [s]; minus infinity before the first one."""
        return self._end

    def is_moving(self, time: float) -> bool:
        """Return whether the motion has not ended at a time."""
        return time < self._end

    def move(self, q: Array, time: float, *, share: float = 1.0, follows: bool = False) -> None:
        """Start towards a position on a straight line in joint space.

        Joints that move in quite another direction already move one by one: on the line one of
        them would pass its target by more than ``OVERSHOOT``, or all would take much longer.

        Args:
            q: target (dof,) [rad | m].
            time: now [s].
            share: of the speed limits, above 0 and at most 1.
            follows: whether another target is expected on the way. Then 0.8 of the acceleration
                and jerk are used, and the arm can turn to that target without leaving the path.

        Raises:
            PlanError: there is no such motion; the one before goes on.
        """
        state, limits, resting = self.at(time), self.limits, not self.is_moving(time)
        rates = share * limits.speed, limits.acceleration, limits.jerk
        own = JointByJoint(state, q.copy(), rates)
        line = along_line(state, q.copy(), rates, limits.speed, follows=follows)
        longest = np.inf if resting else LONGER * own.duration() + EXTRA
        self._start(self._chosen(line, own, longest, own.extremes()), time)
        self.target = q.copy()

    def follow(self, motion: Motion, time: float) -> None:
        """Follow a motion that begins where the joints rest now, within its own limits."""
        self._plan, self._begin, self._end = motion, time, time + motion.duration
        self.target = motion.q[-1].copy()

    def brake(self, time: float) -> None:
        """Bring every joint to rest as fast as its acceleration and jerk limits allow."""
        self._brake(JointByJoint(self.at(time), None, self._rates), time)

    def brake_on_path(self, time: float) -> None:
        """Bring all joints to rest together, in the direction in which they move.

        This takes at most ``EXTRA`` longer than ``brake``. Joints that do not move along a line, or
        would pass their targets by more than ``OVERSHOOT`` on it, brake one by one.
        """
        state = self.at(time)
        own = JointByJoint(state, None, self._rates)
        line = along_line(state, None, self._rates, self.limits.speed)
        span = np.minimum(state[0], self.target), np.maximum(state[0], self.target)
        longest = own.duration() + EXTRA
        self._brake(self._chosen(line, own, longest, span), time)

    @property
    def _rates(self) -> Rates:
        return self.limits.speed, self.limits.acceleration, self.limits.jerk

    def _chosen(
        self,
        line: AlongLine | None,
        own: JointByJoint,
        longest: float,
        span: tuple[Array, Array],
    ) -> AlongLine | JointByJoint:
        """Return the motion along a line if it is allowed, else that of each joint by itself.

        Args:
            line: the motion along a line, if there is one.
            own: the motion of each joint by itself.
            longest: duration on the line that is allowed [s].
            span: positions (dof,) that may be passed by ``OVERSHOOT``, within the ranges.
        """
        lowest = np.maximum(span[0] - OVERSHOOT, np.minimum(self._ranges[0], span[0]) - ROUNDING)
        highest = np.minimum(span[1] + OVERSHOOT, np.maximum(self._ranges[1], span[1]) + ROUNDING)
        with contextlib.suppress(PlanError):
            if line is not None and line.duration() <= longest:
                low, high = line.extremes()
                if (low >= lowest).all() and (high <= highest).all():
                    return line
        return own

    def _brake(self, plan: AlongLine | JointByJoint, time: float) -> None:
        self._start(plan, time)
        self.target = plan.at(plan.duration())[0]

    def _start(self, plan: AlongLine | JointByJoint, time: float) -> None:
        duration = plan.duration()
        self._plan, self._begin, self._end = plan, time, time + duration


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
        return calculated(request)
