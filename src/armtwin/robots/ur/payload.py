"""Joint torques of a payload that changes while the arm runs."""

from __future__ import annotations

import numpy as np

from armtwin.dynamics.rigid_body import regressor
from armtwin.model.arm import Arm
from armtwin.model.link import inertial_parameters
from armtwin.model.payload import payload_link
from armtwin.spatial import Array


class Payload:
    r"""Joint torques of a point mass on the flange, without new equations.

    The torques are linear in the links' inertial parameters, ``tau = Y pi``, so a payload adds
    ``Y_last pi_load`` with the columns of the last link.
    """

    def __init__(self, arm: Arm) -> None:
        self.arm, self._pi = arm, np.zeros(10)

    def set(self, mass: float, com: Array) -> None:
        """Carry ``mass`` [kg] at ``com`` (3,) in the flange frame [m]."""
        self._pi = inertial_parameters(payload_link(self.arm, mass, com=com))

    def torque(self, q: Array, qd: Array, qdd: Array) -> Array | None:
        """Return the joint torques (dof,) of the payload [Nm]; None without one.

        Args:
            q: joint positions (dof,) [rad].
            qd: joint speeds (dof,) [rad/s].
            qdd: joint accelerations (dof,) [rad/s2].
        """
        if not self._pi[0]:
            return None
        Y = regressor(self.arm, q, qd, qdd, ignore_limits=True)
        return np.asarray(Y[:, -10:] @ self._pi)
