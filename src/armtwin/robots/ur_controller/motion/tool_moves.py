"""Motions of the tool, evaluated once per control cycle."""

from __future__ import annotations

import numpy as np

from armtwin.errors import InputError
from armtwin.motion.paths import displacement_length
from armtwin.motion.timing import trapezoid_at
from armtwin.robots.ur.tcp import Tcp, pose_from_vector, vector_from_pose
from armtwin.robots.ur_controller.motion.joint_moves import Move, Reference, lasting
from armtwin.spatial import Array, from_parts

ON_A_LINE = 1e-6
"""Sine of the angle at the start below which three points are on a line."""


class MoveTool(Move):
    """From rest along a straight line, turning evenly, to rest.

    Args:
        tcp: the centre point that is led.
        start: its pose now (4, 4).
        end: where it goes (4, 4).
        speed: top speed [m/s]; times four [rad/s].
        acceleration: [m/s2]; likewise.
        seconds: how long it takes, instead of speed and acceleration.
        most: rates [1/s, 1/s2] that a move of given length in time does not exceed.
    """

    def __init__(
        self,
        tcp: Tcp,
        start: Array,
        end: Array,
        speed: float,
        acceleration: float,
        *,
        seconds: float = 0.0,
        most: tuple[float, float] = (np.inf, np.inf),
    ) -> None:
        self.tcp, self.start, self.time = tcp, start, 0.0
        self.shift, self.axis = displacement(start, end)
        longest = displacement_length(self.shift, self.axis)
        self.rates = (speed / longest, acceleration / longest)
        if seconds > 0:
            rate, change = lasting(seconds)
            self.rates = (min(rate, most[0]), min(change, most[1]))

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Go on along the line, in scaled time.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        self.time += dt * scale
        s, ds, _ = trapezoid_at(self.time, *self.rates)
        goal = pose_on(self.start, self.shift, self.axis, s)
        twist = ds * scale * np.concatenate([self.shift, self.axis])
        lead(self.tcp, reference, goal, twist, dt)
        return s >= 1.0


def displacement(start: Array, end: Array) -> tuple[Array, Array]:
    """Return shift (3,) [m] and rotation vector (3,) [rad], both in base, from pose to pose."""
    turn = from_parts(end[:3, :3] @ start[:3, :3].T, (0, 0, 0))
    return end[:3, 3] - start[:3, 3], vector_from_pose(turn)[3:]


def pose_on(start: Array, shift: Array, axis: Array, s: float) -> Array:
    """Return the pose (4, 4) at the share ``s`` of a displacement.

    Args:
        start: pose at the share 0 (4, 4).
        shift: in base (3,) [m].
        axis: rotation vector in base (3,) [rad].
        s: the share, 0 to 1.
    """
    to_base_axes = pose_from_vector(np.concatenate([np.zeros(3), s * axis]))[:3, :3]
    return from_parts(to_base_axes @ start[:3, :3], start[:3, 3] + s * shift)


def lead(tcp: Tcp, reference: Reference, goal: Array, twist: Array, dt: float) -> None:
    """Take the reference to where the centre point is at ``goal`` and moves at ``twist``.

    Args:
        tcp: the centre point.
        reference: what the joints shall do; changed in place.
        goal: pose (4, 4).
        twist: in base (6,) [m/s, rad/s].
        dt: length of the cycle [s].
    """
    q, J = tcp.follow(goal, reference.q)
    qd = tcp.joint_speeds(J, twist)
    reference.qdd, reference.qd, reference.q = (qd - reference.qd) / dt, qd, q


def integrate_twist(
    tcp: Tcp, reference: Reference, T: Array, before: Array, after: Array, dt: float
) -> None:
    """Move the tool from ``T`` for ``dt`` while its twist changes linearly.

    Args:
        tcp: the centre point.
        reference: what the joints shall do; changed in place.
        T: pose of the tool now (4, 4).
        before: twist now, in base (6,) [m/s, rad/s].
        after: twist after the cycle (6,).
        dt: length of the cycle [s].
    """
    mean = (before + after) * (dt / 2)
    lead(tcp, reference, pose_on(T, mean[:3], mean[3:], 1.0), after, dt)


class SpeedTool(Move):
    """A twist of the tool that is taken up at a given acceleration and held.

    Args:
        tcp: the centre point that is led.
        twist: wanted, in base, (6,) [m/s, rad/s].
        acceleration: [m/s2]; times four [rad/s2].
        seconds: how long; without end if None.

    Attributes:
        elapsed: scaled time since it began [s].
    """

    def __init__(
        self, tcp: Tcp, twist: Array, acceleration: float, seconds: float | None = None
    ) -> None:
        self.tcp, self.twist, self.acceleration, self.left = tcp, twist, acceleration, seconds
        self.reached, self.elapsed = False, 0.0

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Change the twist by at most a cycle's share, in scaled time; at scale 0, brake.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        self.elapsed += dt * scale
        now = self.tcp.state(reference.q, reference.qd)
        twist, target, time = now.twist, 0 * self.twist, dt
        if scale > 0:
            twist, target, time = twist / reference.scale, self.twist, dt * scale
        change = target - twist
        share = min(1.0, self.acceleration * time / displacement_length(change[:3], change[3:]))
        after = (twist + share * change) * (scale or 1.0)
        integrate_twist(self.tcp, reference, now.T, now.twist, after, dt)
        self.reached = share >= 1.0
        if self.left is None:
            return False
        self.left -= dt
        return self.left <= 0


class BrakeTool(SpeedTool):
    """The tool comes to rest along its path at ``deceleration`` [m/s2]."""

    def __init__(self, tcp: Tcp, deceleration: float) -> None:
        super().__init__(tcp, np.zeros(6), deceleration)

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Brake for a cycle; speed scaling does not slow braking down.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        super().step(reference, dt, 0.0)
        if float(np.abs(reference.qd).max()) > 1e-9:
            return False
        reference.rest()
        return True


class ServoTool(Move):
    """Moves straight to a pose that may change at any time, at most with ``speed``.

    Args:
        tcp: the centre point that is led.
        speed: [m/s]; times four [rad/s].
        acceleration: [m/s2]; likewise.
    """

    def __init__(self, tcp: Tcp, goal: Array, speed: float, acceleration: float) -> None:
        self.tcp = tcp
        self.set(goal, speed, acceleration)

    def set(self, goal: Array, speed: float, acceleration: float) -> None:
        """Change where it goes (4, 4) and how fast.

        Args:
            goal: pose (4, 4).
            speed: [m/s].
            acceleration: [m/s2].
        """
        self.goal, self.speed, self.acceleration = goal, speed, acceleration

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Take the speed from which it can still stop in time: ``v^2 = 2 a d``.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        now = self.tcp.state(reference.q, reference.qd)
        shift, axis = displacement(now.T, self.goal)
        left = displacement_length(shift, axis)
        speed = min(self.speed * scale, float(np.sqrt(2 * self.acceleration * left)), left / dt)
        wanted = np.concatenate([shift, axis]) * (speed / left)
        change = wanted - now.twist
        share = min(1.0, 2 * self.acceleration * dt / displacement_length(change[:3], change[3:]))
        integrate_twist(self.tcp, reference, now.T, now.twist, now.twist + share * change, dt)
        return False


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
