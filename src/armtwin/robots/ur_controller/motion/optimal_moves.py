"""Moves as fast as shares of the joints' own speed and acceleration allow, with limited jerk."""

from __future__ import annotations

import numpy as np

from armtwin.motion.timing import path_rates
from armtwin.robots.motion_generator import JERK_TIME, MotionGenerator, RateLimits
from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.motion.joint_moves import Move, Reference
from armtwin.robots.ur_controller.motion.tool_moves import displacement, lead, pose_on
from armtwin.spatial import Array

POINTS = 33
"""Points of a line at which the joints' speeds and accelerations are looked at."""


def shares(limits: RateLimits, top: Array, speed: float, acceleration: float) -> RateLimits:
    """Return shares of the joints' limits.

    Args:
        limits: of the arm.
        top: speeds that no joint may exceed (dof,) [rad/s].
        speed: share of them, above 0 and at most 1.
        acceleration: share of the accelerations and jerks, likewise.
    """
    rates = acceleration * limits.acceleration
    return RateLimits(speed * np.minimum(limits.speed, top), rates, rates / JERK_TIME)


class OptimalJoints(Move):
    """From rest straight in joint space to rest, as fast as the limits allow.

    Args:
        start: joints (dof,) [rad].
        end: joints (dof,) [rad].
        limits: of every joint.
    """

    def __init__(self, start: Array, end: Array, limits: RateLimits) -> None:
        self._generator, self._time = MotionGenerator(start, limits), 0.0
        self._generator.move(end, 0.0)

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Go on, in scaled time.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        self._time += dt * scale
        reference.q, qd, qdd = self._generator.at(self._time)
        reference.qd, reference.qdd = qd * scale, qdd * scale**2
        return not self._generator.is_moving(self._time)


def line_rates(tcp: Tcp, q: Array, end: Array, limits: RateLimits) -> tuple[float, float]:
    """Return the largest speed [1/s] and acceleration [1/s2] of the share of a straight line.

    No joint exceeds its limits anywhere on the line (``path_rates``).

    Args:
        tcp: the centre point that is led.
        q: joints at the start (dof,) [rad].
        end: where it goes (4, 4).
        limits: of every joint.
    """
    start = tcp.state(q, np.zeros_like(q)).T
    shift, axis = displacement(start, end)
    slopes = []
    for s in np.linspace(0, 1, POINTS):
        q, J = tcp.follow(pose_on(start, shift, axis, float(s)), q)
        slopes.append(tcp.joint_speeds(J, np.concatenate([shift, axis])))
    first = np.array(slopes)
    second = np.gradient(first, 1 / (POINTS - 1), axis=0)
    return path_rates(first, second, limits.speed, limits.acceleration)


class OptimalTool(Move):
    """From rest along a straight line to rest, as fast as the joints' limits allow.

    The motion within the bounds of ``line_rates`` is time-optimal.

    Args:
        tcp: the centre point that is led.
        q: joints at the start (dof,) [rad].
        end: where it goes (4, 4).
        limits: of every joint.
    """

    def __init__(self, tcp: Tcp, q: Array, end: Array, limits: RateLimits) -> None:
        self._tcp, self._time = tcp, 0.0
        self._start = tcp.state(q, np.zeros_like(q)).T
        self._shift, self._axis = displacement(self._start, end)
        rate = np.array(line_rates(tcp, q, end, limits))
        jerk = rate[1:] / JERK_TIME
        self._generator = MotionGenerator(np.zeros(1), RateLimits(rate[:1], rate[1:], jerk))
        self._generator.move(np.ones(1), 0.0)

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Go on along the line, in scaled time.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        self._time += dt * scale
        s, ds, _ = self._generator.at(self._time)
        goal = pose_on(self._start, self._shift, self._axis, float(s[0]))
        twist = float(ds[0]) * scale * np.concatenate([self._shift, self._axis])
        lead(self._tcp, reference, goal, twist, dt)
        return not self._generator.is_moving(self._time)
