"""Timing along a path: profiles ``s(t)`` with their first two derivatives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.equations.optimal.spline import minimum_jerk
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
    v, a, rise, end = _trapezoid_shape(speed, acceleration)
    t = np.clip(time, 0.0, end)
    up, down = t < rise, t > end - rise
    phases = zip(_rising(t, a), _cruising(t, v, rise), _braking(end - t, a), strict=True)
    s, ds, dds = (np.where(up, x, np.where(down, z, y)) for x, y, z in phases)
    return Profile(s, ds, dds * ((time >= 0) & (time < end)))


def trapezoid_at(time: float, speed: float, acceleration: float) -> tuple[float, float, float]:
    """Return progress, rate [1/s] and acceleration [1/s2] of ``trapezoid`` at one time, faster.

    Args:
        time: since the start [s].
        speed: largest rate of the progress [1/s].
        acceleration: its acceleration [1/s2].
    """
    v, a, rise, end = _trapezoid_shape(speed, acceleration)
    t = min(max(time, 0.0), end)
    if t < rise:
        s, ds, dds = _rising(t, a)
    elif t > end - rise:
        s, ds, dds = _braking(end - t, a)
    else:
        s, ds, dds = _cruising(t, v, rise)
    return s, ds, dds if 0 <= time < end else 0.0


def _trapezoid_shape(speed: float, acceleration: float) -> tuple[float, float, float, float]:
    """Return top speed, acceleration, time to reach the top speed, and duration."""
    if not (speed > 0 and acceleration > 0):
        raise InputError(f"speed and acceleration must be positive, got {speed}, {acceleration}")
    v = min(speed, math.sqrt(acceleration))
    rise = v / acceleration
    return v, acceleration, rise, 1 / v + rise


def _rising(t: Any, a: float) -> tuple[Any, Any, float]:
    return a * t**2 / 2, a * t, a


def _cruising(t: Any, v: float, rise: float) -> tuple[Any, float, float]:
    return v * (t - rise / 2), v, 0.0


def _braking(left: Any, a: float) -> tuple[Any, Any, float]:
    """Return the last phase from the time that is left: progress ends at 1 exactly."""
    return 1 - a * left**2 / 2, a * left, -a


CURVED = 0.5
"""Share of the acceleration that the curvature of the joints' path may take."""


def path_rates(
    first: Array, second: Array, speed: Array, acceleration: Array
) -> tuple[float, float]:
    r"""Return the largest speed [1/s] and acceleration [1/s2] of the share ``s`` of a joint path.

    No joint may exceed its limits anywhere on the path:

    .. math:: |q'_j| \dot s \le v_j, \qquad |q'_j| |\ddot s| + |q''_j| \dot s^2 \le a_j

    Args:
        first: derivatives by ``s`` at some points of the path (n, dof) [rad | m].
        second: second derivatives there (n, dof) [rad | m].
        speed: limits (dof,) [rad/s | m/s].
        acceleration: limits (dof,) [rad/s2 | m/s2].
    """
    first, second = np.maximum(np.abs(first), 1e-9), np.abs(second)
    curved = CURVED * acceleration / np.maximum(second, 1e-9)
    top = min(float((speed / first).min()), float(np.sqrt(curved.min())))
    return top, float(((acceleration - second * top**2) / first).min())


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
