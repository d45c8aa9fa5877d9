"""Legs of one kind in a row, with their corners rounded where that is asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.motion.timing import trapezoid, trapezoid_duration
from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.motion.joint_moves import Move, Reference
from armtwin.robots.ur_controller.motion.tool_moves import lead, pose_on, way_between, way_length
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Leg:
    """One part of a path.

    Attributes:
        end: joints (dof,) or pose (4, 4) that it leads to.
        speed: [rad/s | m/s].
        acceleration: [rad/s2 | m/s2].
        blend: radius of the rounded corner at its end [m].
    """

    end: Array
    speed: float
    acceleration: float
    blend: float = 0.0

    @property
    def straight(self) -> bool:
        """Whether the tool goes straight, not the joints."""
        return self.end.shape == (4, 4)


@dataclass(eq=False)
class Timed:
    """A leg with its way, its rates [1/s, 1/s2] and when it starts [s]."""

    way: Array
    rates: tuple[float, float]
    start: float = 0.0

    @property
    def seconds(self) -> float:
        """How long it lasts [s]."""
        return trapezoid_duration(*self.rates)

    @property
    def braking(self) -> float:
        """How long it brakes [s]."""
        speed, acceleration = self.rates
        return min(speed, acceleration**0.5) / acceleration


class BlendedRun(Move):
    r"""Legs of one kind; where corners are rounded the next leg starts while one still brakes.

    .. math:: x(t) = x_0 + \sum_k s_k(t - t_k) (x_k - x_{k-1})
    """

    def __init__(self, legs: Sequence[Timed], blends: Sequence[float]) -> None:
        self.legs, self.time, self.first = list(legs), 0.0, 0
        start = 0.0
        for leg, blend in zip(self.legs, [0.0, *blends[:-1]], strict=True):
            leg.start = max(0.0, start - self._overlap(leg, blend))
            start = leg.start + leg.seconds

    def _overlap(self, leg: Timed, blend: float) -> float:
        """Return how long before its predecessor's end a leg may start: ``r = L a t^2 / 2``."""
        place = self.legs.index(leg)
        if place == 0 or blend <= 0:
            return 0.0
        before = self.legs[place - 1]
        inside = (2 * blend / (self._length(before) * before.rates[1])) ** 0.5
        return min(inside, before.braking, leg.braking)

    @property
    def leg(self) -> int:
        """Number of the leg that is being made, from 0."""
        started = [k for k, leg in enumerate(self.legs) if leg.start <= self.time]
        return started[-1] if started else 0

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Go on along the legs, in scaled time."""
        self.time += dt * scale
        while self.first < len(self.legs) and self._share(self.first)[0] >= 1.0:
            self._pass(self.legs[self.first])
            self.first += 1
        active = [
            (self.legs[k], self._share(k))
            for k in range(self.first, len(self.legs))
            if self.legs[k].start < self.time
        ]
        self._lead(reference, active, dt, scale)
        return self.first == len(self.legs)

    def _share(self, k: int) -> tuple[float, float]:
        leg = self.legs[k]
        profile = trapezoid(np.array([self.time - leg.start]), *leg.rates)
        return float(profile.s[0]), float(profile.ds[0])

    @abstractmethod
    def _length(self, leg: Timed) -> float:
        """Return how far the tool goes on a leg [m]."""

    @abstractmethod
    def _pass(self, leg: Timed) -> None:
        """Make the end of a finished leg the place that the others are counted from."""

    @abstractmethod
    def _lead(
        self,
        reference: Reference,
        active: Sequence[tuple[Timed, tuple[float, float]]],
        dt: float,
        scale: float,
    ) -> None:
        """Set the reference from the legs that are being made, with their shares and rates."""


class JointRun(BlendedRun):
    """Legs straight in joint space."""

    def __init__(self, tcp: Tcp, start: Array, legs: Sequence[Leg], top: Array) -> None:
        self.tcp, self.base = tcp, start
        points = [start, *(leg.end for leg in legs)]
        timed = []
        for leg, a, b in zip(legs, points, points[1:], strict=False):
            way = np.abs(b - a)
            longest = max(float(way.max()), 1e-12)
            with np.errstate(divide="ignore"):
                allowed = float((top / way).min())
            rates = (min(leg.speed / longest, allowed), leg.acceleration / longest)
            timed.append(Timed(b - a, rates))
        still = np.zeros_like(start)
        places = [tcp.state(point, still).T[:3, 3] for point in points]
        gaps = np.diff(places, axis=0)
        self._lengths = {id(t): float(np.linalg.norm(g)) for t, g in zip(timed, gaps, strict=True)}
        super().__init__(timed, [leg.blend for leg in legs])

    def _length(self, leg: Timed) -> float:
        return max(self._lengths[id(leg)], 1e-9)

    def _pass(self, leg: Timed) -> None:
        self.base = self.base + leg.way

    def _lead(
        self,
        reference: Reference,
        active: Sequence[tuple[Timed, tuple[float, float]]],
        dt: float,
        scale: float,
    ) -> None:
        q, qd = self.base, np.zeros_like(self.base)
        for leg, (s, ds) in active:
            q, qd = q + s * leg.way, qd + ds * scale * leg.way
        reference.qdd, reference.qd, reference.q = (qd - reference.qd) / dt, qd, q


class ToolRun(BlendedRun):
    """Legs straight in space."""

    def __init__(self, tcp: Tcp, start: Array, legs: Sequence[Leg]) -> None:
        self.tcp, self.base = tcp, start
        points = [start, *(leg.end for leg in legs)]
        timed = []
        for leg, a, b in zip(legs, points, points[1:], strict=False):
            way, axis = way_between(a, b)
            longest = way_length(way, axis)
            rates = (leg.speed / longest, leg.acceleration / longest)
            timed.append(Timed(np.concatenate([way, axis]), rates))
        super().__init__(timed, [leg.blend for leg in legs])

    def _length(self, leg: Timed) -> float:
        return way_length(leg.way[:3], leg.way[3:])

    def _pass(self, leg: Timed) -> None:
        self.base = pose_on(self.base, leg.way[:3], leg.way[3:], 1.0)

    def _lead(
        self,
        reference: Reference,
        active: Sequence[tuple[Timed, tuple[float, float]]],
        dt: float,
        scale: float,
    ) -> None:
        goal, twist = self.base, np.zeros(6)
        for leg, (s, ds) in active:
            goal = pose_on(goal, leg.way[:3], leg.way[3:], s)
            twist = twist + ds * scale * leg.way
        lead(self.tcp, reference, goal, twist, dt)
