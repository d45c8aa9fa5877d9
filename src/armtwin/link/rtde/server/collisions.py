"""A virtual controller's own collision detection: a momentum observer over what it measures."""

from __future__ import annotations

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.errors import MissingDataError
from armtwin.link.rtde.server.body import Body, Payload
from armtwin.model.arm import Arm
from armtwin.spatial import Array

GAIN = 30.0
"""Of the observer [1/s]."""
SHARE = 0.25
"""An external torque of this share of a joint's largest torque counts as a collision."""
UNLIMITED = 150.0
"""Largest torque of a joint whose file gives none [Nm]."""


class Collisions:
    """Watches for torques that no motor gives.

    Attributes:
        residual: external torques as the observer sees them (dof,) [Nm].
        ratio: the largest of them over what counts as a collision.
    """

    def __init__(self, arm: Arm, payload: Payload) -> None:
        self._payload, self.residual, self.ratio = payload, np.zeros(arm.dof), 0.0
        efforts = [joint.limits.effort or UNLIMITED for joint in arm.driven]
        self._limits = SHARE * np.array(efforts)
        self._gain, self._memory = np.full(arm.dof, GAIN), (np.zeros(arm.dof), np.zeros(arm.dof))
        self._started = False
        try:
            self._kernel = kernel(arm, "observer.momentum_step")
        except MissingDataError:
            self._kernel = None  # type: ignore[assignment]

    def reset(self) -> None:
        """Forget what was seen."""
        self.residual, self.ratio, self._started = np.zeros_like(self.residual), 0.0, False

    def step(self, body: Body, qdd: Array, dt: float) -> bool:
        """Look at another cycle; return whether the arm has collided."""
        if self._kernel is None:
            return False
        carried = self._payload.torque(body.q, body.qd, qdd)
        tau = body.tau if carried is None else body.tau - carried
        h = np.array([dt if self._started else 0.0])
        inputs = (body.q, body.qd, tau, self.residual, *self._memory, self._gain, h)
        self.residual, *memory = self._kernel.fast(*inputs) or self._kernel(*inputs)
        self._memory, self._started = (memory[0], memory[1]), True
        self.ratio = float((np.abs(self.residual) / self._limits).max())
        return self.ratio > 1.0
