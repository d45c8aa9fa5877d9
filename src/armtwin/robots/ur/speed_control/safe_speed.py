r"""The largest speed with which a network that pauses carries the arm past no goal.

Let a command be computed from a sample that is at most ``STALE`` old, and let the controller keep
its speed ``v`` for the time ``T`` before it brakes. The worst case of a single pause: the last
command before the pause runs out, the arm stops, and when the pause ends a command that was
computed from the same old sample arrives late and runs out as well. A second pause at that moment
lets one more run out. So a command is only given if

.. math:: v \, (\mathrm{STALE} + N T) + s(v) \le d, \qquad N = 3

where ``d`` is the distance left and ``s(v)`` the distance of a jerk-limited stop (ruckig) with
``BRAKING``, at most half of the deceleration with which the controller brakes.
"""

from __future__ import annotations

import numpy as np

from armtwin.robots.motion_generator import SpeedProfile

COMMAND_TIME = 0.3
"""Longest time for which the arm keeps a commanded speed when no other command comes [s]."""
SHORTEST = 0.1
"""Shortest such time, used close to the goal [s]: five periods, for jitter."""
STALE = 0.06
"""No command is computed from a sample older than this [s]: seven samples at 125 Hz."""
BRAKING = 2.0
"""Deceleration of the approach [rad/s2]: below the acceleration of commands, so that the arm keeps
up, and half of the 4 rad/s2 with which a controller brakes when a program ends."""
COMMANDS = 3
"""N: commands from one sample that may run out one after the other, with two pauses between."""
HALVINGS = 12
"""Steps of the search for the largest safe speed: 1/4096 of the speed before."""

_STOP = SpeedProfile(BRAKING)


def is_safe(speed: float, distance: float) -> bool:
    """Return whether two pauses carry an arm at ``speed`` [rad/s] within ``distance`` [rad]."""
    return speed * (STALE + COMMANDS * SHORTEST) + _STOP.stopping_distance(speed) <= distance


def safe_speed(distance: float, most: float) -> float:
    """Return the largest safe speed [rad/s] for a distance [rad], at most ``most``."""
    if is_safe(most, distance):
        return most
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_safe(middle, distance) else (low, middle)
    return low


def lasting(speed: float, distance: float) -> float:
    """Return how long a speed [rad/s] may be kept [s] when a distance [rad] is left."""
    if speed == 0.0:
        return COMMAND_TIME
    slack = (distance - _STOP.stopping_distance(speed)) / speed - STALE
    return float(np.clip(slack / COMMANDS, SHORTEST, COMMAND_TIME))
