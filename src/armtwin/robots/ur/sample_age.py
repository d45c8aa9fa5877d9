"""Age of a robot's newest sample when the network may have delayed it."""

from __future__ import annotations

import numpy as np

GAP = 0.04
"""A longer time between samples is a pause of the robot or of the network [s]."""
DECAY = 5.0
"""A backlog that does not shrink decays at this rate [s/s]: then the robot, or its clock, stood
still."""


class SampleAge:
    r"""Estimates how long samples waited in the network.

    When a network pauses, its samples arrive late and all at once. With the time between two
    arrivals :math:`\Delta a` and between the robot's own stamps :math:`\Delta s`, the newest sample
    has waited for

    .. math:: w_k = \max(0, w_{k-1} + \Delta a - \Delta s)

    where positive differences only count across a gap, and :math:`w` decays. So neither a robot
    whose clock is slow nor one that stood still makes its samples look old for long.
    """

    def __init__(self) -> None:
        self._stamp = self._arrival = self._waited = np.nan

    def add(self, stamp: float, arrival: float) -> None:
        """Add the newest sample.

        Args:
            stamp: time on the robot's clock [s].
            arrival: when it arrived [s, monotonic clock].
        """
        passed, stamped = arrival - self._arrival, stamp - self._stamp
        self._arrival, self._stamp = arrival, stamp
        if not (np.isfinite(passed) and stamped > 0):
            self._waited = 0.0
        elif passed > GAP:
            self._waited = max(0.0, self._waited + passed - stamped)
        else:
            self._waited = max(0.0, self._waited + min(passed - stamped, 0.0) - DECAY * passed)

    def at(self, now: float) -> float:
        """Return the age of the newest sample at a time [s]; infinite before the first."""
        age = now - self._arrival + self._waited
        return float(age) if np.isfinite(age) else np.inf
