"""Motions through joint positions: synchronised trapezoids, and quintic polynomials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.limits import checked
from armtwin.motion.motion import RATE, Motion, Path, grid
from armtwin.motion.timing import Profile, trapezoid, trapezoid_duration
from armtwin.spatial import Array, as_numbers

STILL = 1e-9
"""Neighbouring waypoints that are nearer than this are one [rad | m]: they differ by rounding."""


@dataclass(frozen=True, eq=False)
class Waypoints(Path):
    """From point to point with trapezoidal speeds, all joints starting and stopping together.

    Every joint follows the same profile ``s(t)``, as fast as the slowest joint's ``vmax`` and
    ``amax`` allow, so that the arm goes straight in joint space and rests at every point.

    Attributes:
        points: joint vectors (k, dof), k >= 2 [rad | m].
        vmax: top speed, one for all joints or (dof,) [rad/s | m/s].
        amax: acceleration, one for all joints or (dof,) [rad/s2 | m/s2].
        dwell: rest at every point but the first [s].
    """

    points: ArrayLike
    vmax: ArrayLike = 1.0
    amax: ArrayLike = 2.0
    dwell: float = 0.0

    def motion(self, arm: Arm, rate: float = RATE, *, seed: ArrayLike | None = None) -> Motion:
        """Return the joint motion.

        Args:
            arm: the arm.
            rate: samples per second [Hz].
            seed: not used: the waypoints are joint vectors.
        """
        points = _points(arm, self.points)
        legs, starts = self._schedule(arm, points)
        if starts[-1] <= 0:
            raise InputError("all waypoints are the same and there is no dwell: nothing to do")
        time = grid(float(starts[-1]), rate)
        profiles = [
            Profile(*np.zeros((3, time.size))) if leg is None else trapezoid(time - start, *leg)
            for leg, start in zip(legs, starts, strict=False)
        ]
        q, qd, qdd = _summed(points, profiles)
        return checked(arm, Motion(time, q, qd, qdd, f"{len(points)} waypoints, trapezoids"))

    def duration(self, arm: Arm) -> float:
        """Return how long the motion lasts [s], without sampling it."""
        return float(self._schedule(arm, _points(arm, self.points))[1][-1])

    def _schedule(self, arm: Arm, points: Array) -> tuple[list[tuple[float, float] | None], Array]:
        """Return speed and acceleration of every leg, and when each begins and the last ends."""
        legs = [self._leg(arm, a, b) for a, b in zip(points[:-1], points[1:], strict=True)]
        lasting = [0.0 if leg is None else trapezoid_duration(*leg) for leg in legs]
        return legs, np.concatenate([[0.0], np.cumsum(np.array(lasting) + self.dwell)])

    def _leg(self, arm: Arm, start: Array, end: Array) -> tuple[float, float] | None:
        """Return speed and acceleration of s that no joint exceeds; None where nothing moves."""
        distance = np.abs(end - start)
        if distance.max() < STILL:
            return None
        with np.errstate(divide="ignore"):
            speed = _limit(arm, self.vmax, "vmax") / distance
            acceleration = _limit(arm, self.amax, "amax") / distance
        return float(speed.min()), float(acceleration.min())


@dataclass(frozen=True, eq=False)
class Quintic(Path):
    """Through points by polynomials of fifth degree in every joint.

    Attributes:
        points: joint vectors (k, dof), k >= 2 [rad | m].
        seconds: time of every leg, one for all or (k - 1,) [s].
        speeds: speeds at the points (k, dof); zero if not given.
        accelerations: accelerations at the points (k, dof); zero if not given.
    """

    points: ArrayLike
    seconds: ArrayLike = 2.0
    speeds: ArrayLike | None = None
    accelerations: ArrayLike | None = None

    def motion(self, arm: Arm, rate: float = RATE, *, seed: ArrayLike | None = None) -> Motion:
        """Return the joint motion.

        Args:
            arm: the arm.
            rate: samples per second [Hz].
            seed: not used: the waypoints are joint vectors.
        """
        states = np.stack([_points(arm, self.points), *self._rates(arm)], axis=1)
        lasting = np.broadcast_to(as_numbers(self.seconds, "seconds"), (len(states) - 1,))
        if not (np.isfinite(lasting).all() and (lasting > 0).all()):
            raise InputError(f"every leg takes a positive time, got {self.seconds}")
        ends = np.cumsum(lasting)
        time = grid(float(ends[-1]), rate)
        leg = np.minimum(np.searchsorted(ends, time, "right"), len(lasting) - 1)
        since = np.minimum(time - (ends - lasting)[leg], lasting[leg])
        polynomials = np.array([_quintic(*pair) for pair in zip(states, states[1:], lasting)])  # noqa: B905
        q, qd, qdd = _evaluated(polynomials[leg], since)
        return checked(arm, Motion(time, q, qd, qdd, f"{len(states)} waypoints, quintics"))

    def _rates(self, arm: Arm) -> tuple[Array, Array]:
        shape = np.shape(self.points)
        rates = []
        for name in ("speeds", "accelerations"):
            given = getattr(self, name)
            values = np.zeros(shape) if given is None else as_numbers(given, name)
            if values.shape != shape or not np.isfinite(values).all():
                raise InputError(f"{name} must be finite with the points' shape {shape}")
            rates.append(values)
        return rates[0], rates[1]


@dataclass(frozen=True, eq=False)
class Hold(Path):
    """One joint vector for some time: what a fall starts from, or a controller holds.

    Attributes:
        q: joint vector (dof,) [rad | m].
        seconds: how long [s].
    """

    q: ArrayLike
    seconds: float = 2.0

    def motion(self, arm: Arm, rate: float = RATE, *, seed: ArrayLike | None = None) -> Motion:
        """Return the joint vector at every sample.

        Args:
            arm: the arm.
            rate: samples per second [Hz].
            seed: not used: the joint vector is given.
        """
        q = as_joints(arm, self.q)
        if q.shape != (arm.dof,):
            raise InputError(f"give one joint vector ({arm.dof},); got shape {q.shape}")
        time = grid(self.seconds, rate)
        still = np.zeros((time.size, arm.dof))
        return checked(arm, Motion(time, still + q, still, still, "one joint vector held"))


def _points(arm: Arm, points: ArrayLike) -> Array:
    q = as_joints(arm, points, name="points")
    if q.ndim != 2 or len(q) < 2:
        raise InputError(f"give two or more points, (k, {arm.dof}); got shape {q.shape}")
    return q


def _limit(arm: Arm, value: ArrayLike, name: str) -> Array:
    given = as_numbers(value, name)
    try:
        limit = np.broadcast_to(given, (arm.dof,))
    except ValueError as error:
        raise InputError(f"{name} is one number or {arm.dof}, got {value!r}") from error
    if not (np.isfinite(limit).all() and (limit > 0).all()):
        raise InputError(f"{name} must be positive, got {value!r}")
    return limit


def _summed(points: Array, profiles: list[Profile]) -> tuple[Array, Array, Array]:
    """Return ``q = q_0 + sum_k s_k (q_k - q_{k-1})`` and its derivatives."""
    steps = np.diff(points, axis=0)
    s, ds, dds = (np.stack([getattr(p, n) for p in profiles], 1) for n in ("s", "ds", "dds"))
    return points[0] + s @ steps, ds @ steps, dds @ steps


def _quintic(start: Array, end: Array, T: float) -> Array:
    """Return coefficients (6, dof), lowest first, of the polynomial between two states (3, dof)."""
    c = np.array([start[0], start[1], start[2] / 2])
    rest = np.array([end[0] - c[0] - c[1] * T - c[2] * T**2, end[1] - c[1] - 2 * c[2] * T, end[2]])
    rest[2] -= 2 * c[2]
    A = np.array(
        [[T**3, T**4, T**5], [3 * T**2, 4 * T**3, 5 * T**4], [6 * T, 12 * T**2, 20 * T**3]]
    )
    return np.concatenate([c, np.linalg.solve(A, rest)])


def _evaluated(coefficients: Array, t: Array) -> tuple[Array, Array, Array]:
    """Return values and derivatives (n, dof) of polynomials (n, 6, dof) at times (n,)."""
    k = np.arange(6)
    powers = t[:, None] ** k
    zero = np.zeros((t.size, 2))
    first = np.hstack([zero[:, :1], powers[:, :-1]]) * k
    second = np.hstack([zero, powers[:, :-2]]) * (k * (k - 1))
    q, qd, qdd = (np.einsum("nk,nkj->nj", x, coefficients) for x in (powers, first, second))
    return q, qd, qdd
