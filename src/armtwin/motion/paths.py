"""Paths of the tool in space: circles and lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.motion.follow import Track, follow
from armtwin.motion.motion import RATE, Motion, Path, as_direction, as_point, grid
from armtwin.motion.timing import Profile, quintic, ramped
from armtwin.spatial import Array, as_pose, cos_sin, from_parts, rotation_z

OUT, UP, TRIES = 0.5, 0.3, 2000
"""Default centre of a circle as shares of the arm's reach, out and up; trials for its posture."""
RADIUS, SMALL_ARM, SHARE = 0.2, 0.6, 0.15
"""Default radius [m]; of an arm that reaches less far than ``SMALL_ARM`` [m], a share of it."""
TURN_PER_METRE = 4.0
"""Ratio of the tool's angular speed limit to its linear one [rad/m]."""


@dataclass(frozen=True, eq=False)
class Circle(Path):
    r"""A circle of the tool in any plane, with a constant direction of the tool.

    .. math:: p = c + r (\cos\theta\, a + \sin\theta\, b), \quad \theta = 2 \pi t / T

    with a smooth start and stop of ``ramp`` seconds.

    Attributes:
        radius: [m]; 0.2 if not given, 15 % of the reach of an arm that reaches less than 0.6 m.
        period: time of a lap [s].
        seconds: how long it lasts [s]; three laps if not given.
        centre: in base (3,) [m]; in front of the arm if not given.
        normal: of the circle's plane in base; +z gives the horizontal circle.
        tool: direction of the tool's z axis in base; down if not given.
        turn: rotation of the tool about that direction [rad].
        ramp: time to reach full speed, and to stop [s]; 0 starts and ends at full speed.
    """

    radius: float | None = None
    period: float = 4.0
    seconds: float | None = None
    centre: ArrayLike | None = None
    normal: ArrayLike = (0.0, 0.0, 1.0)
    tool: ArrayLike = (0.0, 0.0, -1.0)
    turn: float = 0.0
    ramp: float = 0.5

    def motion(self, arm: Arm, rate: float = RATE, *, seed: ArrayLike | None = None) -> Motion:
        """Return the arm's motion round the circle.

        Args:
            arm: the arm.
            rate: samples per second [Hz].
            seed: joint vector (dof,) [rad] that selects the branch of the inverse kinematics; None
                for the best one.
        """
        radius = default_radius(arm) if self.radius is None else self.radius
        if not (radius > 0 and self.period > 0):
            raise InputError(
                f"radius and period must be positive, got {radius} m and {self.period} s"
            )
        lasting = 3 * self.period if self.seconds is None else self.seconds
        time = grid(lasting, rate)
        angle = ramped(time, lasting, 2 * np.pi / self.period, self.ramp)
        name = f"circle of {radius:g} m in {self.period:g} s"
        return follow(arm, self._track(arm, radius, time, angle), name, seed=seed)

    def _track(self, arm: Arm, radius: float, time: Array, angle: Profile) -> Track:
        a, b = plane(self.normal)
        s, ds, dds = angle.s, angle.ds, angle.dds
        out = radius * (np.outer(np.cos(s), a) + np.outer(np.sin(s), b))
        round_ = radius * (np.outer(np.cos(s), b) - np.outer(np.sin(s), a))
        centre = default_centre(arm) if self.centre is None else as_point(self.centre, "centre")
        poses = np.tile(from_parts(tool_rotation(self.tool, self.turn), (0, 0, 0)), (s.size, 1, 1))
        poses[:, :3, 3] = centre + out
        still = np.zeros_like(out)
        v = ds[:, None] * round_
        acceleration = dds[:, None] * round_ - (ds**2)[:, None] * out
        return Track(time, poses, np.hstack([v, still]), np.hstack([acceleration, still]))


@dataclass(frozen=True, eq=False)
class Line(Path):
    """A straight line of the tool, from rest to rest along a quintic, turning evenly.

    Attributes:
        start: pose (4, 4), or position (3,) with the tool pointing along ``tool``.
        end: pose (4, 4), or position (3,) likewise.
        seconds: how long it takes [s].
        tool: direction of the tool's z axis in base where only positions are given.
        turn: rotation of the tool about that direction [rad].
    """

    start: ArrayLike
    end: ArrayLike
    seconds: float = 2.0
    tool: ArrayLike = (0.0, 0.0, -1.0)
    turn: float = 0.0

    def motion(self, arm: Arm, rate: float = RATE, *, seed: ArrayLike | None = None) -> Motion:
        """Return the arm's motion along the line.

        Args:
            arm: the arm.
            rate: samples per second [Hz].
            seed: joint vector (dof,) [rad] that selects the branch of the inverse kinematics; None
                for the best one.
        """
        time = grid(self.seconds, rate)
        track = self.track(time, quintic(time, self.seconds))
        length = float(np.linalg.norm(self.displacement()[0]))
        return follow(arm, track, f"line of {length:.3g} m in {self.seconds:g} s", seed=seed)

    def displacement(self) -> tuple[Array, Array]:
        """Return shift (3,) [m] and rotation vector (3,) [rad], both in base."""
        from scipy.spatial.transform import Rotation

        first, last = self._pose(self.start, "start"), self._pose(self.end, "end")
        turn = Rotation.from_matrix(last[:3, :3] @ first[:3, :3].T).as_rotvec()
        return last[:3, 3] - first[:3, 3], np.asarray(turn)

    def track(self, time: Array, along: Profile) -> Track:
        """Return poses and twists at times (n,) [s] with the progress ``along`` the line."""
        from scipy.spatial.transform import Rotation

        first, (shift, axis) = self._pose(self.start, "start"), self.displacement()
        p, v, acceleration = along.along(first[:3, 3], shift)
        turned, omega, alpha = along.along(np.zeros(3), axis)
        poses = np.tile(np.eye(4), (time.size, 1, 1))
        poses[:, :3, :3] = Rotation.from_rotvec(turned).as_matrix() @ first[:3, :3]
        poses[:, :3, 3] = p
        return Track(time, poses, np.hstack([v, omega]), np.hstack([acceleration, alpha]))

    def _pose(self, value: ArrayLike, what: str) -> Array:
        if np.shape(value) == (4, 4):
            return as_pose(value, what)
        return from_parts(tool_rotation(self.tool, self.turn), as_point(value, what))


def displacement_length(shift: Array, axis: Array) -> float:
    """Return the length of a displacement [m], turns counted by ``TURN_PER_METRE``."""
    longest = max(float(np.linalg.norm(shift)), float(np.linalg.norm(axis)) / TURN_PER_METRE)
    return max(longest, 1e-12)


def plane(normal: ArrayLike) -> tuple[Array, Array]:
    """Return unit vectors a, b of a plane with ``a x b = normal``; a is near base x."""
    n = as_direction(normal, "normal")
    near = np.array([1.0, 0.0, 0.0]) if abs(n[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    a = near - (near @ n) * n
    a /= np.linalg.norm(a)
    return a, np.cross(n, a)


def tool_rotation(direction: ArrayLike, turn: float = 0.0) -> Array:
    """Return the rotation whose z axis is ``direction`` and whose x axis is near base x."""
    z = as_direction(direction, "tool direction")
    x, y = plane(z)
    return np.column_stack([x, y, z]) @ np.array(rotation_z(*cos_sin(turn)), float)


def reach(arm: Arm) -> float:
    """Return how far from the base the tool gets in a few thousand joint vectors [m]."""
    low, high = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    q = np.random.default_rng(1).uniform(low, high, (TRIES, arm.dof))
    away = fk(arm, q, ignore_limits=True)[:, :3, 3] - np.array(arm.base)[:3, 3]
    return float(np.linalg.norm(away, axis=1).max())


def default_radius(arm: Arm) -> float:
    """Return the radius of a circle that the arm can follow [m]."""
    far = reach(arm)
    return RADIUS if far >= SMALL_ARM else round(SHARE * far, 3)


def default_centre(arm: Arm) -> Array:
    """Return a place in front of the arm where it can move freely [m]."""
    base, far = np.array(arm.base), reach(arm)
    return np.asarray(base[:3, 3] + base[:3, :3] @ np.array([OUT * far, 0.0, UP * far]))
