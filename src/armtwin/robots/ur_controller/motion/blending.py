"""Consecutive legs of one kind, with rounded corners where requested."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.motion.timing import trapezoid_at, trapezoid_duration
from armtwin.robots.motion_generator import RateLimits
from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.motion.joint_moves import (
    Move,
    Reference,
    joint_rates,
    most_rates,
)
from armtwin.robots.ur_controller.motion.tool_moves import Arc
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Leg:
    """One part of a path.

    Attributes:
        end: joints (dof,) or pose (4, 4) that it leads to.
        speed: [rad/s | m/s].
        acceleration: [rad/s2 | m/s2].
        blend: radius of the rounded corner at its end [m].
        via: pose (4, 4) that a circular leg goes through; None for a straight one.
        fixed_orientation: whether a circular leg keeps the orientation fixed to the tangent.
        seconds: how long it takes, instead of speed and acceleration, if positive.
        limits: of the joints, if these set speed and acceleration; None otherwise.
    """

    end: Array
    speed: float
    acceleration: float
    blend: float = 0.0
    via: Array | None = None
    fixed_orientation: bool = False
    seconds: float = 0.0
    limits: RateLimits | None = None

    @property
    def of_tool(self) -> bool:
        """Whether it leads the tool along a line or circle, not the joints."""
        return self.end.shape == (4, 4)


@dataclass(eq=False)
class TimedLeg:
    """A leg with its displacement, its rates [1/s, 1/s2] and when it starts [s].

    Attributes:
        shift: displacement of the joints (dof,), or of the tool (6,), from start to end.
        rates: speed and acceleration of the share of the leg that is done.
        length: how far the tool goes [m].
        blend: radius of the rounded corner at its end [m].
        start: time of its start [s].
        arc: the circle that the tool follows; None for a straight leg.
    """

    shift: Array
    rates: tuple[float, float]
    length: float
    blend: float = 0.0
    start: float = 0.0
    arc: Arc | None = None

    @property
    def seconds(self) -> float:
        """Duration [s]."""
        return trapezoid_duration(*self.rates)

    @property
    def end(self) -> float:
        """Time of its end [s]."""
        return self.start + self.seconds

    @property
    def braking(self) -> float:
        """Duration of its deceleration [s]."""
        speed, acceleration = self.rates
        return min(speed, acceleration**0.5) / acceleration

    @property
    def blending(self) -> float:
        """Time before its end at which the next leg may start [s]: ``r = L a t^2 / 2``."""
        if self.blend <= 0:
            return 0.0
        inside = (2 * self.blend / (max(self.length, 1e-9) * self.rates[1])) ** 0.5
        return min(inside, self.braking)


class BlendedRun(Move):
    r"""Legs of one kind; where corners are rounded the next leg starts while one still brakes.

    .. math:: x(t) = x_0 + \sum_k s_k(t - t_k) (x_k - x_{k-1})
    """

    def __init__(self) -> None:
        self.legs: list[TimedLeg] = []
        self.time, self.first = 0.0, 0

    @abstractmethod
    def add(self, leg: Leg) -> None:
        """Append a leg, also while the run is under way."""

    def _append(self, leg: TimedLeg) -> None:
        if self.legs:
            before = self.legs[-1]
            leg.start = max(self.time, before.end - min(before.blending, leg.braking))
        self.legs.append(leg)

    def blends(self, k: int) -> bool:
        """Return whether leg ``k`` is inside the blend at its end, or finished."""
        return k < self.first or (
            self.legs[k].blend > 0 and self.time >= self.legs[k].end - self.legs[k].blending
        )

    @property
    def leg(self) -> int:
        """Number of the leg that is being made, from 0."""
        started = [k for k, leg in enumerate(self.legs) if leg.start <= self.time]
        return started[-1] if started else 0

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Go on along the legs, in scaled time.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
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
        return trapezoid_at(self.time - leg.start, *leg.rates)[:2]

    @abstractmethod
    def _pass(self, leg: TimedLeg) -> None:
        """Make the end of a finished leg the place that the others are counted from."""

    @abstractmethod
    def _lead(
        self,
        reference: Reference,
        active: Sequence[tuple[TimedLeg, tuple[float, float]]],
        dt: float,
        scale: float,
    ) -> None:
        """Set the reference from the legs that are being made, with their shares and rates."""


class JointRun(BlendedRun):
    """Legs straight in joint space.

    Args:
        tcp: the centre point, whose distances blend radii are measured by.
        start: joints at the start (dof,) [rad].
        legs: the legs.
        limits: that no joint exceeds.
    """

    def __init__(self, tcp: Tcp, start: Array, legs: Sequence[Leg], limits: RateLimits) -> None:
        super().__init__()
        self.tcp, self.base, self.limits, self._end = tcp, start, limits, start
        for leg in legs:
            self.add(leg)

    def add(self, leg: Leg) -> None:
        """Append a leg."""
        shift = leg.end - self._end
        if leg.limits is not None:
            rates = most_rates(shift, leg.limits)
        else:
            given = (leg.speed, leg.acceleration)
            rates = joint_rates(shift, *given, limits=self.limits, seconds=leg.seconds)
        length = float(np.linalg.norm(self._place(leg.end) - self._place(self._end)))
        self._append(TimedLeg(shift, rates, length, leg.blend))
        self._end = leg.end

    def _place(self, q: Array) -> Array:
        return self.tcp.state(q, np.zeros_like(q)).T[:3, 3]

    def _pass(self, leg: TimedLeg) -> None:
        self.base = self.base + leg.shift

    def _lead(
        self,
        reference: Reference,
        active: Sequence[tuple[TimedLeg, tuple[float, float]]],
        dt: float,
        scale: float,
    ) -> None:
        q, qd = self.base, np.zeros_like(self.base)
        for leg, (s, ds) in active:
            q, qd = q + s * leg.shift, qd + ds * scale * leg.shift
        reference.qdd, reference.qd, reference.q = (qd - reference.qd) / dt, qd, q
