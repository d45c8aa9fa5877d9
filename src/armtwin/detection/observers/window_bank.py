r"""A bank of windows: the slope of the momentum error over many lengths at once.

The momentum error ``e`` grows by ``h x_k`` a period. Its least-squares slope over n periods is a
weighted mean of the ``x`` in them,

.. math:: \hat\tau = \sum_{j=1}^n w_j x_{k-n+j}, \qquad
          w_j = \frac{\sum_{i=j}^n (i - n/2)}{\sum_{i=0}^n (i - n/2)^2} \ge 0, \quad \sum_j w_j = 1

which is the likeliest constant torque if it set in n periods ago. Short windows see strong pushes
at once, long ones weak pushes at last: no gain has to be traded between the two.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from armtwin.detection.observer_model import ObserverModel
from armtwin.errors import InputError
from armtwin.spatial import Array

BRIDGED = 3.5
"""Periods up to which a gap is bridged by the mean over it; a longer one restarts the windows."""
EARLY = 0.25
"""Periods below which a sample comes too early; its rates would be noise: the windows restart."""


class ExternalTorque:
    """Estimate external torques from measured samples.

    Args:
        model: the arm's model.
        step: usual time between samples [s].

    Attributes:
        x: mean external torque since the sample before (dof,) [Nm].
        inertial: mean rate of the momentum since then (dof,) [Nm].
        missing: samples that held NaN or infinity, their time included.
        bridged: gaps that were bridged.
        restarts: gaps too long to bridge.
    """

    def __init__(self, model: ObserverModel, step: float) -> None:
        self.model, self.step_time = model, step
        self.x, self.inertial = np.zeros(model.arm.dof), np.zeros(model.arm.dof)
        self.missing = self.bridged = self.restarts = 0
        self._time: float | None = None
        self._p = self._beta = self.x

    def step(self, time: float, q: Array, qd: Array, tau: Array) -> int:
        """Take a sample and return how many periods ``x`` covers.

        0 means that there is none: the first sample, a sample with NaN (not used at all), or the
        first one after a long gap, which increments ``restarts``.

        Args:
            time: of the sample [s].
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            tau: measured joint torques (dof,) [Nm | N].
        """
        rates = self.model.finite_rate(q, qd, tau)
        if rates is None or not isfinite(time):
            self.missing += 1
            return 0
        p, beta = rates[0], rates[1] - tau
        before, self._time = self._time, time
        p_before, beta_before, self._p, self._beta = self._p, self._beta, p, beta
        if before is None:
            return 0
        h = time - before
        periods = h / self.step_time
        if periods > BRIDGED or periods < EARLY:
            self.restarts += 1
            return 0
        np.subtract(p, p_before, out=self.inertial)
        self.inertial /= h
        np.subtract(self.inertial, (beta + beta_before) * 0.5, out=self.x)
        self.x -= tau
        count = max(1, round(periods))
        self.bridged += count > 1
        return count


SECONDS = (0.004, 0.006, 0.010, 0.016, 0.026, 0.042, 0.068, 0.110, 0.170, 0.250)
"""Lengths of the windows [s]."""


def lengths(step: float, seconds: tuple[float, ...] = SECONDS) -> Array:
    """Return the windows' lengths in periods of ``step`` seconds, each once, shortest first."""
    if not (np.isfinite(step) and step > 0) or not seconds or min(seconds) <= 0:
        raise InputError(f"windows and the time between samples must be positive; got {seconds}")
    return np.unique(np.maximum(1, np.round(np.array(seconds) / step))).astype(int)


def weights(periods: Array) -> Array:
    """Return the weights (windows, longest), the newest sample last, zero before a window."""
    longest = int(periods.max())
    found = np.zeros((len(periods), longest))
    for row, n in enumerate(periods.tolist()):
        centred = np.arange(n + 1) - n / 2
        found[row, longest - n :] = np.cumsum(centred[::-1])[::-1][1:] / (centred**2).sum()
    return found


class WindowBank:
    """Weighted means over all windows, sample by sample, in fixed memory.

    Args:
        step: time between samples [s].
        width: how many numbers a sample has.
        seconds: lengths of the windows [s].

    Attributes:
        means: (windows, width), valid in the rows where ``periods <= filled``.
        filled: samples since the last restart or forgetting, at most the longest window.
    """

    def __init__(self, step: float, width: int, seconds: tuple[float, ...] = SECONDS) -> None:
        self.periods = lengths(step, seconds)
        self.longest = int(self.periods.max())
        self.means = np.zeros((len(self.periods), width))
        self.filled = 0
        self._weights = weights(self.periods)
        self._kept = np.zeros((2 * self.longest, width))
        self._next = 0

    def push(self, sample: Array) -> None:
        """Take a sample (width,) without computing the means."""
        at = self._next
        self._kept[at] = sample
        self._kept[at + self.longest] = sample
        self._next = (at + 1) % self.longest
        self.filled = min(self.filled + 1, self.longest)

    def update(self) -> Array:
        """Compute the means (windows, width) and return them."""
        newest = self._kept[self._next : self._next + self.longest]
        np.matmul(self._weights, newest, out=self.means)
        return self.means

    def forget(self) -> None:
        """Count from here on: no window is valid until it holds new samples only."""
        self.filled = 0

    def restart(self) -> None:
        """Start with empty windows, as after a gap."""
        self.filled = 0
        self._kept[:] = 0.0
