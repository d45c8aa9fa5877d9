"""Circular motion of the tool through a point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.errors import InputError
from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.motion.blending import BlendedRun, Leg, Timed
from armtwin.robots.ur_controller.motion.joint_moves import Reference
from armtwin.robots.ur_controller.motion.tool_moves import lead, pose_on, way_between, way_length
from armtwin.spatial import Array, from_parts

ON_A_LINE = 1e-6
"""Sine of the angle at the start below which three points are on a line."""


class Arc:
    r"""The arc of a circle from a point through another to a third.

    With ``a`` and ``b`` from the start to the other two and ``n = a x b``, the centre is at

    .. math:: c = p_0 + \frac{(|a|^2 b - |b|^2 a) \times n}{2 |n|^2}

    Attributes:
        axis: about which the tool goes round (3,).
        angle: how far (0 to 2 pi) [rad].
        radius: of the circle [m].
    """

    def __init__(self, start: Array, via: Array, end: Array) -> None:
        a, b = via - start, end - start
        n = np.cross(a, b)
        size = float(np.linalg.norm(n))
        if size <= ON_A_LINE * float(np.linalg.norm(a)) * float(np.linalg.norm(b)):
            raise InputError("movec: start, via point and end must not lie on a line")
        self.axis = n / size
        self.centre = start + np.cross((a @ a) * b - (b @ b) * a, n) / (2 * size**2)
        self._out = start - self.centre
        self._on = np.cross(self.axis, self._out)
        last = end - self.centre
        self.radius = float(np.linalg.norm(self._out))
        self.angle = float(np.arctan2(self._on @ last, self._out @ last) % (2 * np.pi))

    def point(self, angle: float) -> Array:
        """Return the point (3,) after an angle [rad]."""
        return np.asarray(self.centre + np.cos(angle) * self._out + np.sin(angle) * self._on)

    def tangent(self, angle: float) -> Array:
        """Return the derivative of the point by the angle (3,) [m]."""
        return np.asarray(np.cos(angle) * self._on - np.sin(angle) * self._out)


class CircleRun(BlendedRun):
    """One leg along an arc, from rest to rest.

    The orientation turns evenly to that of the end, or stays fixed to the tangent.
    """

    def __init__(self, tcp: Tcp, start: Array, leg: Leg) -> None:
        super().__init__()
        self.tcp, self.start = tcp, start
        self.add(leg)

    def add(self, leg: Leg) -> None:
        """Set the leg."""
        assert leg.via is not None
        self.arc = Arc(self.start[:3, 3], leg.via[:3, 3], leg.end[:3, 3])
        turn = way_between(self.start, leg.end)[1]
        self.turn = self.arc.angle * self.arc.axis if leg.fixed_orientation else turn
        length = way_length(np.array([self.arc.radius * self.arc.angle, 0, 0]), turn)
        self.legs = [Timed(self.turn, (leg.speed / length, leg.acceleration / length), length)]

    def _pass(self, leg: Timed) -> None:
        """Do nothing: there is no other leg."""

    def _lead(
        self,
        reference: Reference,
        active: Sequence[tuple[Timed, tuple[float, float]]],
        dt: float,
        scale: float,
    ) -> None:
        s, ds = active[0][1] if active else (1.0 if self.first else 0.0, 0.0)
        angle = s * self.arc.angle
        turned = pose_on(self.start, np.zeros(3), self.turn, s)
        goal = from_parts(turned[:3, :3], self.arc.point(angle))
        speed = ds * scale
        travel = self.arc.tangent(angle) * (self.arc.angle * speed)
        lead(self.tcp, reference, goal, np.concatenate([travel, self.turn * speed]), dt)
