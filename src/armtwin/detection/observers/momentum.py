"""The first-order momentum observer, sample by sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel
from armtwin.control.controller import gains
from armtwin.equations.control import observer as observer_equations
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

GAIN = 25.0
"""Of an observer, unless given [1/s]."""


class MomentumObserver:
    r"""Estimates the external torque as a first-order lag of it.

    .. math:: \dot r = K (\tau_{ext} - r)

    stepped exactly for a constant disturbance at any ``K h`` (see
    ``equations.observer.momentum_step``).

    Args:
        arm: the arm as the observer knows it.
        gain: K [1/s], one for all joints or (dof,).

    Attributes:
        residual: r (dof,) [Nm].
    """

    def __init__(self, arm: Arm, gain: ArrayLike = GAIN) -> None:
        arm.require_masses()
        self._kernel = kernel(arm, observer_equations.momentum_step)
        self._gain = gains(arm, gain, "gain")
        if not (self._gain > 0).all():
            raise InputError(f"the observer's gain must be positive, got {gain!r}")
        self._h = np.zeros(1)
        self.residual = np.zeros(arm.dof)
        self._p, self._u = np.zeros(arm.dof), np.zeros(arm.dof)

    def step(self, q: Array, qd: Array, tau: Array, h: float) -> Array:
        """Take a sample and return the residual (dof,) [Nm].

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            tau: measured joint torques (dof,) [Nm | N].
            h: time since the sample before [s]; 0 starts the observer: the residual is kept and the
                momentum set.
        """
        self._h[0] = h
        inputs = (q, qd, tau, self.residual, self._p, self._u, self._gain, self._h)
        found = self._kernel.fast(*inputs) or self._kernel(*inputs)
        self.residual, self._p, self._u = found
        return self.residual

    def run(self, time: Array, q: Array, qd: Array, tau: Array) -> Array:
        """Return the residuals (n, dof) of a whole run, the same as sample by sample.

        Args:
            time: of the samples (n,) [s].
            q: joint positions (n, dof) [rad | m].
            qd: joint speeds (n, dof) [rad/s | m/s].
            tau: measured joint torques (n, dof) [Nm | N].
        """
        found = np.empty_like(q)
        steps = np.diff(time, prepend=time[0])
        for row, h in enumerate(steps.tolist()):
            found[row] = self.step(q[row], qd[row], tau[row], h)
        return found
