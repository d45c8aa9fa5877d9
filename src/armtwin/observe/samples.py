r"""Mean external torque over every sampling period, sample by sample.

.. math:: x_k = \frac{p_k - p_{k-1}}{h} - \frac{\beta_k + \beta_{k-1}}{2} - \tau_k

with momentum p and known rate ``u = tau + beta`` of the observer's model. The torque of a sample is
that of the period which ends with it, as drives report it.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from armtwin.observe.model import ObserverModel
from armtwin.spatial import Array

BRIDGED = 3.5
"""Periods up to which a gap is bridged by the mean over it; a longer one starts anew."""
EARLY = 0.25


class ExternalTorque:
    """Turns measured samples into external torques.

    Args:
        model: what the arm is taken to be.
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
        """Take a sample and return how many periods ``x`` stands for.

        0 means that there is none: the first sample, a sample with NaN (not used at all), or the
        first one after a long gap, which is told by ``restarts``.
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
