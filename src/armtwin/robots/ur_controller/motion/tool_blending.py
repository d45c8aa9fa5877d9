"""Straight and circular legs of the tool in a row, with rounded corners."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.errors import UnreachableError
from armtwin.motion.paths import displacement_length
from armtwin.robots.motion_generator import RateLimits
from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.motion.blending import BlendedRun, Leg, TimedLeg
from armtwin.robots.ur_controller.motion.joint_moves import Reference, lasting
from armtwin.robots.ur_controller.motion.optimal_moves import line_rates
from armtwin.robots.ur_controller.motion.tool_moves import Arc, displacement, lead, pose_on
from armtwin.spatial import Array


class ToolRun(BlendedRun):
    """Legs along lines and circles.

    On a circle the orientation turns evenly to that of the end, or stays fixed to the tangent.

    Args:
        tcp: the centre point that is led.
        q: joints at the start (dof,) [rad].
        legs: the legs.
        limits: of the joints, for legs with a given duration.
    """

    def __init__(self, tcp: Tcp, q: Array, legs: Sequence[Leg], limits: RateLimits) -> None:
        super().__init__()
        self.tcp, self.limits, self._q = tcp, limits, q
        self.base = self._end = tcp.state(q, np.zeros_like(q)).T
        for leg in legs:
            self.add(leg)

    def add(self, leg: Leg) -> None:
        """Append a leg.

        Raises:
            InputError: the three points of a circular leg lie on a line.
        """
        shift, axis = displacement(self._end, leg.end)
        arc, length = None, displacement_length(shift, axis)
        if leg.via is not None:
            arc = Arc(self._end[:3, 3], leg.via[:3, 3], leg.end[:3, 3])
            length = displacement_length(np.array([arc.radius * arc.angle, 0, 0]), axis)
            axis = arc.angle * arc.axis if leg.fixed_orientation else axis
        rates = self._rates(leg, length)
        timed = TimedLeg(np.concatenate([shift, axis]), rates, length, leg.blend, arc=arc)
        self._append(timed)
        self._end = pose_on(self._end, shift, axis, 1.0)

    def _rates(self, leg: Leg, length: float) -> tuple[float, float]:
        """Return speed [1/s] and acceleration [1/s2] of the share of a leg that is done."""
        if leg.limits is None and leg.seconds <= 0:
            return leg.speed / length, leg.acceleration / length
        try:
            self._q = self.tcp.inverse(self._end, self._q)
            most = line_rates(self.tcp, self._q, leg.end, leg.limits or self.limits)
        except UnreachableError:  # a protective stop will say so where the line leaves the reach
            return leg.speed / length, leg.acceleration / length
        if leg.limits is not None:
            return most
        rate, change = lasting(leg.seconds)
        return min(rate, most[0]), min(change, most[1])

    def _pass(self, leg: TimedLeg) -> None:
        self.base = pose_on(self.base, leg.shift[:3], leg.shift[3:], 1.0)

    def _lead(
        self,
        reference: Reference,
        active: Sequence[tuple[TimedLeg, tuple[float, float]]],
        dt: float,
        scale: float,
    ) -> None:
        goal, twist = self.base, np.zeros(6)
        for leg, (s, ds) in active:
            shift, slope = s * leg.shift[:3], leg.shift[:3]
            if leg.arc is not None:
                angle = s * leg.arc.angle
                shift = leg.arc.point(angle) - leg.arc.point(0.0)
                slope = leg.arc.angle * leg.arc.tangent(angle)
            goal = pose_on(pose_on(goal, shift, np.zeros(3), 1.0), np.zeros(3), leg.shift[3:], s)
            twist = twist + ds * scale * np.concatenate([slope, leg.shift[3:]])
        lead(self.tcp, reference, goal, twist, dt)
