"""Timing along a path: profiles ``s(t)`` with their first two derivatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Profile:
    """Progress (n,), its rate [1/s] and the rate's rate [1/s2]."""

    s: Array
    ds: Array
    dds: Array

    def along(self, start: Array, step: Array) -> tuple[Array, Array, Array]:
        """Return ``start + s step`` and its derivatives, each (n, k)."""
        return start + self.s[:, None] * step, self.ds[:, None] * step, self.dds[:, None] * step


def minimum_jerk(x: Array) -> tuple[Array, Array, Array]:
    r"""Return the minimum-jerk polynomial and its first two derivatives at x in 0..1.

    .. math:: s = 10 x^3 - 15 x^4 + 6 x^5
    """
    s = x**3 * (10 - 15 * x + 6 * x**2)
    return s, 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)


def quintic(time: Array, duration: float) -> Profile:
    """Return minimum-jerk progress from 0 to 1, at rest and without acceleration at both ends."""
    s, ds, dds = minimum_jerk(np.clip(time / duration, 0.0, 1.0))
    return Profile(s, ds / duration, dds / duration**2)


def trapezoid_duration(speed: float, acceleration: float) -> float:
    """Return the time for a distance of 1 with these limits [1/s, 1/s2], from rest to rest."""
    if speed**2 >= acceleration:
        return float(2 / np.sqrt(acceleration))
    return 1 / speed + speed / acceleration


def trapezoid(time: Array, speed: float, acceleration: float) -> Profile:
    r"""Return progress from 0 to 1 at constant acceleration, constant speed, constant braking.

    The top speed is ``v = min(speed, sqrt(acceleration))``: a short distance never reaches it.

    .. math:: t_1 = v / a, \quad T = 1 / v + t_1

    Args:
        time: since the start (n,) [s].
        speed: largest rate of the progress [1/s].
        acceleration: its acceleration [1/s2].
    """
    if not (speed > 0 and acceleration > 0):
        raise InputError(f"speed and acceleration must be positive, got {speed}, {acceleration}")
    v, a = min(speed, float(np.sqrt(acceleration))), acceleration
    rise, end = v / a, 1 / v + v / a
    t = np.clip(time, 0.0, end)
    up, down = t < rise, t > end - rise
    s = np.where(up, a * t**2 / 2, v * (t - rise / 2))
    s = np.where(down, 1 - a * (end - t) ** 2 / 2, s)
    ds = np.where(up, a * t, np.where(down, a * (end - t), v))
    moving = (time >= 0) & (time < end)
    dds = np.where(up, a, np.where(down, -a, 0.0)) * moving
    return Profile(s, ds, dds)


def ramped(time: Array, seconds: float, speed: float, ramp: float) -> Profile:
    r"""Return an angle that changes at constant speed, with smooth starts and stops.

    Over ``ramp`` seconds the speed follows the minimum-jerk polynomial b(x), whose integral is
    ``B(x) = 2.5 x^4 - 3 x^5 + x^6``. ``ramp = 0`` is the plain ``speed t``.

    .. math:: s(t) = v\,[\, r B(t / r) + (t - r)_+ - (t - T + r)_+ + r (B(1) - B(y)) \,]

    Args:
        time: since the start (n,) [s].
        seconds: duration [s].
        speed: in between [rad/s].
        ramp: duration of the start and of the stop [s].
    """
    if ramp < 0 or 2 * ramp > seconds:
        raise InputError(f"a ramp takes between 0 and half of the {seconds:g} s; got {ramp:g} s")
    if ramp == 0:
        zero = np.zeros_like(time)
        return Profile(speed * time, zero + speed, zero)
    t = np.clip(time, 0.0, seconds)
    x, y = np.minimum(t / ramp, 1.0), np.minimum((seconds - t) / ramp, 1.0)
    rise, fall = _smooth(x), _smooth(y)
    middle = np.clip(t, ramp, seconds - ramp) - ramp
    s = speed * (ramp * rise[0] + middle + ramp * (0.5 - fall[0]))
    return Profile(s, speed * rise[1] * fall[1], speed * (rise[2] - fall[2]) / ramp)


def _smooth(x: Array) -> tuple[Array, Array, Array]:
    """Return ``B``, ``b = B'`` and ``b'`` of a soft rise at x in 0..1."""
    b, slope, _ = minimum_jerk(x)
    return x**4 * (2.5 - 3 * x + x**2), b, slope
