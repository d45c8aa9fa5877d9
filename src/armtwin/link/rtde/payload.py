"""Torques of what an arm carries, for payloads that change while it runs."""

from __future__ import annotations

import numpy as np

from armtwin.dynamics.rigid import regressor
from armtwin.model.arm import Arm, Link
from armtwin.model.bodies import seen_from
from armtwin.model.frames import tail
from armtwin.spatial import Array


class Payload:
    r"""Joint torques of a point mass at the tool, without a new set of equations.

    The torques are linear in the bodies' parameters, ``tau = Y pi``, so a payload adds
    ``Y_last pi_load`` with the columns of the last link.
    """

    def __init__(self, arm: Arm) -> None:
        self.arm, self._pi = arm, np.zeros(10)

    def set(self, mass: float, com: Array) -> None:
        """Carry ``mass`` [kg] at ``com`` (3,) in the tool frame [m]."""
        at_tool = Link(mass, (float(com[0]), float(com[1]), float(com[2])), (0.0,) * 6)
        body = seen_from(at_tool, tail(self.arm))
        assert body.com is not None
        c = np.array(body.com)
        inertia = mass * (c @ c * np.eye(3) - np.outer(c, c))
        upper = inertia[np.triu_indices(3)]
        self._pi = np.concatenate([[mass], mass * c, upper])

    def torque(self, q: Array, qd: Array, qdd: Array) -> Array | None:
        """Return the joint torques (dof,) that the payload takes; None without one."""
        if not self._pi[0]:
            return None
        Y = regressor(self.arm, q, qd, qdd, ignore_limits=True)
        return np.asarray(Y[:, -10:] @ self._pi)
