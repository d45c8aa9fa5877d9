"""How old a robot's newest sample is, when the network may have held it back."""

from __future__ import annotations

import numpy as np

GAP = 0.04
"""Samples further apart than this have met a pause of the robot or of the network [s]."""
DECAY = 5.0
"""A backlog that nobody works off is forgotten at this rate [s/s]: then it was the robot, or its
clock, that stood still."""


class SampleAge:
    r"""Tells samples that waited in the network from fresh ones.

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
        """Take note of the newest sample.

        Args:
            stamp: time on the robot's clock [s].
            arrival: when it arrived [s, monotonic clock].
        """
        passed, told = arrival - self._arrival, stamp - self._stamp
        self._arrival, self._stamp = arrival, stamp
        if not (np.isfinite(passed) and told > 0):
            self._waited = 0.0
        elif passed > GAP:
            self._waited = max(0.0, self._waited + passed - told)
        else:
            self._waited = max(0.0, self._waited + min(passed - told, 0.0) - DECAY * passed)

    def at(self, now: float) -> float:
        """Return the age of the newest sample at a time [s]; infinite before the first."""
        age = now - self._arrival + self._waited
        return float(age) if np.isfinite(age) else np.inf
