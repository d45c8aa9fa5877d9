"""A virtual controller's own collision detection: a momentum observer over what it measures."""

from __future__ import annotations

import numpy as np

from armtwin.detection.observers.momentum import MomentumObserver
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.model.drive import typical_efforts
from armtwin.robots.ur.payload import Payload
from armtwin.robots.ur_controller.body.kinematic import RobotBody
from armtwin.spatial import Array

GAIN = 30.0
"""Of the observer [1/s]."""
SHARE = 0.25
"""An external torque of this share of a joint's largest torque counts as a collision."""
CONTACT = 0.2
"""An external torque of this share of what counts as a collision is a contact of the tool."""
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
        self._limits = SHARE * typical_efforts(arm)
        self._arm, self._observer, self._started = arm, _observer(arm), False

    def reset(self) -> None:
        """Forget what was seen."""
        self._observer, self._started = _observer(self._arm), False
        self.residual, self.ratio = np.zeros_like(self.residual), 0.0

    def step(self, body: RobotBody, qdd: Array, dt: float) -> bool:
        """Look at another cycle; return whether the arm has collided."""
        if self._observer is None:
            return False
        carried = self._payload.torque(body.q, body.qd, qdd)
        tau = body.tau if carried is None else body.tau - carried
        self.residual = self._observer.step(body.q, body.qd, tau, dt if self._started else 0.0)
        self._started = True
        self.ratio = float((np.abs(self.residual) / self._limits).max())
        return self.ratio > 1.0


def _observer(arm: Arm) -> MomentumObserver | None:
    try:
        return MomentumObserver(arm, GAIN)
    except MissingDataError:
        return None
