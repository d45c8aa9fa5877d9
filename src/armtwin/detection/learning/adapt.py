r"""Slow re-estimation of friction while there is no contact.

Friction wanders with temperature, load and wear. A correction ``phi . c`` with
``phi = (tanh(qd / v), qd, 1)`` per joint follows it by normalised least mean squares

.. math:: c \mathrel{-}= \frac{h}{T} \frac{x}{\epsilon + \phi^T W \phi} W \phi, \qquad
          W = diag(1, 1, 0.1)

with a time constant T far above any contact's length; a constant offset, which sensors have and
friction has not, follows ten times more slowly. It is paused while an alarm is on or near, and
for joints at rest.
"""

from __future__ import annotations

import numpy as np

from armtwin.detection.observer_model import ObserverModel
from armtwin.spatial import Array

TIME_CONSTANT = 20.0
"""Time in which friction is followed [s]: far above the length of any contact."""
EPSILON = 0.1
"""Keeps the step finite where a joint hardly moves; larger: slow joints adapt more slowly."""
NEAR = 0.9
"""Share of the threshold above which nothing is learned."""
WEIGHTS = np.array([1.0, 1.0, 0.1])
"""Adaptation rates of dry friction, viscous friction and the offset."""
ROOM = 0.5
"""Part of the learned friction by which it may wander."""


class Adaptation:
    """A friction correction that follows slowly.

    Args:
        model: the arm's model.
        step: time between samples [s].
        seconds: time constant [s]; infinite for none.

    Attributes:
        correction: c, per joint (dof, 3) [Nm, Nms/rad, Nm].
        grown: by how much dry friction has grown (dof,) [Nm].
    """

    def __init__(self, model: ObserverModel, step: float, seconds: float = TIME_CONSTANT) -> None:
        self.correction = np.zeros((model.arm.dof, 3))
        self.grown = np.zeros(model.arm.dof)
        self._speed = 4 * model.smoothing
        self._gain = step / seconds
        friction = model.dry_friction()
        viscous = np.abs(model.at_joints[:, 2])
        self._most = ROOM * np.stack([friction, viscous + friction, friction], axis=1)
        self._least = -self._most
        self._phi = np.ones((model.arm.dof, 3))
        self.active = bool((self._most > 0).any()) and np.isfinite(seconds)

    def torque(self, qd: Array) -> Array:
        """Return what the correction adds to the external torque's estimate (dof,) [Nm]."""
        np.tanh(qd / self._speed, out=self._phi[:, 0])
        self._phi[:, 1] = qd
        return np.asarray(np.add.reduce(self._phi * self.correction, axis=1))

    def follow(self, x: Array, qd: Array, score: float) -> None:
        """Follow slow friction by the external torque estimate, except near a contact.

        Args:
            x: external torque estimate with the correction so far (dof,) [Nm].
            qd: joint speeds (dof,) [rad/s | m/s].
            score: evidence of a contact, 1 at the threshold; nothing is learned near it.
        """
        if score > NEAR:
            return
        weighted = self._phi * WEIGHTS
        size = EPSILON + np.add.reduce(weighted * self._phi, axis=1)
        gain = self._gain * (np.abs(qd) > self._speed) / size
        self.correction -= (gain * x)[:, None] * weighted
        np.minimum(self.correction, self._most, out=self.correction)
        np.maximum(self.correction, self._least, out=self.correction)
        np.maximum(self.correction[:, 0], 0.0, out=self.grown)
