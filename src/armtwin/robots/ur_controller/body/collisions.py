"""Contact detection of a virtual controller: a momentum observer over its measurements."""

from __future__ import annotations

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.detection.observers.momentum import MomentumObserver
from armtwin.equations.drives import drive as drive_equations
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.model.drive import STANDING_SPEED, typical_efforts
from armtwin.robots.ur.payload import Payload
from armtwin.robots.ur_controller.body.kinematic import RobotBody, friction_kernel
from armtwin.spatial import Array

GAIN = 30.0
"""Of the observer [1/s]."""
SHARE = 0.25
"""An external torque of this share of a joint's largest torque counts as a collision."""
CONTACT = 0.2
"""An external torque of this share of what counts as a collision is a contact of the tool."""
OPPOSED = 0.5
"""A force opposes a direction within 60 degrees: minus their cosine is above this."""
ONSET = 0.25
"""A contact began when the torque last was below this share of a contact's."""


class Collisions:
    r"""Watches for torques that no motor gives.

    A joint slower than ``STANDING_SPEED`` may stick: its friction is anything between
    ``-dry`` and ``dry``, and the observer, which knows friction by speed, errs by up to
    ``e = dry + |f(qd)|``. A first-order observer passes that on as a first-order lag, so
    its residual without any contact stays within

    .. math:: \dot a = K (e - a)

    and only what exceeds ``a`` is an external torque for certain.

    Attributes:
        residual: external torques that are certain (dof,) [Nm].
        joint: which of them is largest, over its limit.
        ratio: that torque over what counts as a collision.
        watching: whether a collision is reported in the next cycle; not while the arm is moved by
            hand or torque.
        expected: external torques that are no collision in the next cycle, as those of a force that
            is commanded (dof,) [Nm]; None without.
    """

    def __init__(self, arm: Arm, payload: Payload) -> None:
        self._payload, self._limits = payload, SHARE * typical_efforts(arm)
        self._arm, self._parts = arm, kernel(arm, drive_equations.friction_parts)
        self._friction = friction_kernel(arm)
        self.reset()

    def reset(self) -> None:
        """Reset the observer."""
        self._observer, self._started = _observer(self._arm), False
        self.residual, self._stuck = np.zeros(self._arm.dof), np.zeros(self._arm.dof)
        self.ratio, self.watching = 0.0, True
        self.expected: Array | None = None
        self._touching = self.joint = 0

    def step(self, body: RobotBody, qdd: Array, dt: float) -> bool:
        """Look at another cycle; return whether the arm has collided.

        Args:
            body: what is measured.
            qdd: accelerations that the joints shall have (dof,) [rad/s2].
            dt: length of the cycle [s].
        """
        if self._observer is None:
            return False
        carried = self._payload.torque(body.q, body.qd, qdd)
        tau = body.tau if carried is None else body.tau - carried
        seen = self._observer.step(body.q, body.qd, tau, dt if self._started else 0.0)
        self._started = True
        if body.has_forces:
            self._stuck += (1 - np.exp(-GAIN * dt)) * (self._doubt(body.qd, tau) - self._stuck)
            seen = np.sign(seen) * np.maximum(np.abs(seen) - self._stuck, 0.0)
        self.residual, shares = seen, np.abs(seen) / self._limits
        self.joint = int(shares.argmax())
        self.ratio = float(shares[self.joint])
        self._touching = self._touching + 1 if self.ratio >= ONSET * CONTACT else 0
        hit = self.ratio > 1.0 and self.watching and self._unexpected()
        self.watching, self.expected = True, None
        return hit

    def _unexpected(self) -> bool:
        """Return whether the torques are a collision without those that are expected."""
        if self.expected is None:
            return True
        return bool((np.abs(self.residual - self.expected) > self._limits).any())

    def _doubt(self, qd: Array, tau: Array) -> Array:
        """Return by how much the observer may misjudge the friction of joints that may stick."""
        viscous, dry = self._parts.fast(qd, tau) or self._parts(qd, tau)
        known = dry + np.abs(viscous)
        if self._friction is not None:
            known = np.abs((self._friction.fast(qd, tau) or self._friction(qd, tau))[0])
        return np.where(np.abs(qd) < STANDING_SPEED, dry + known, 0.0)

    def contact_steps(self, direction: Array, force: Array) -> int:
        """Return the cycles since a contact of the tool began; 0 if there is none.

        Args:
            direction: of the tool's motion in base (3,) that contacts must oppose; zeros for all.
            force: on the tool in base (3,) [N].
        """
        length = float(np.linalg.norm(direction))
        along = float(direction @ force) / length if length > 0 else -np.inf
        opposed = along <= -OPPOSED * float(np.linalg.norm(force))
        return self._touching if self.ratio >= CONTACT and opposed else 0


def _observer(arm: Arm) -> MomentumObserver | None:
    try:
        return MomentumObserver(arm, GAIN)
    except MissingDataError:
        return None
