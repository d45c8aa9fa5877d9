"""Joint torques of a payload and of a mounting that change while the arm runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel
from armtwin.dynamics.rigid_body import regressor
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.model.arm import Arm
from armtwin.model.link import inertial_parameters
from armtwin.model.payload import payload_link
from armtwin.spatial import Array


class Payload:
    r"""Joint torques that a load on the flange and another gravity add to the arm's own.

    The torques are linear in the links' inertial parameters, ``tau = Y pi``, so a payload adds
    ``Y_last pi_load`` with the columns of the last link. They are linear in gravity too, so a base
    that is tilted adds the gravity torques of the loaded arm under the difference of both.

    Attributes:
        gravity: acceleration of free fall in base (3,) [m/s2].
    """

    def __init__(self, arm: Arm) -> None:
        self.arm, self._pi = arm, np.zeros(10)
        self.gravity, self._tilt = np.array(arm.gravity), np.zeros(3)

    def set(self, mass: float, com: ArrayLike, inertia: ArrayLike | None = None) -> None:
        """Carry a load on the flange.

        Args:
            mass: [kg].
            com: its centre of gravity in the flange frame (3,) [m].
            inertia: xx, yy, zz, xy, xz, yz about that centre [kg m2]; None: a point mass.
        """
        self._pi = inertial_parameters(payload_link(self.arm, mass, com=com, inertia=inertia))

    def tilt(self, gravity: Array) -> None:
        """Mount the arm so that free fall has the acceleration ``gravity`` (3,) in base [m/s2]."""
        self.gravity, self._tilt = gravity.copy(), gravity - np.array(self.arm.gravity)

    @property
    def mass(self) -> float:
        """Mass of the load [kg]."""
        return float(self._pi[0])

    def load_torque(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the joint torques (dof,) [Nm] that the load alone takes.

        Args:
            q: joint positions (dof,) [rad].
            qd: joint speeds (dof,) [rad/s].
            qdd: joint accelerations (dof,) [rad/s2].
        """
        Y = regressor(self.arm, q, qd, qdd, ignore_limits=True)
        found = np.asarray(Y[:, -10:] @ self._pi)
        if self._tilt.any():
            found = found + self._weight(q, self._pi[:4]) - self._weight(q, np.zeros(4))
        return found

    def _weight(self, q: Array, load: Array) -> Array:
        """Return what the tilt adds to the gravity torques of the arm with a load (4,)."""
        run = kernel(self.arm, rigid_body_equations.loaded_gravity)
        inputs = (q, self._tilt, np.ascontiguousarray(load))
        return (run.fast(*inputs) or run(*inputs))[0]

    def torque(self, q: Array, qd: Array, qdd: Array) -> Array | None:
        """Return the added joint torques (dof,) [Nm]; None without load and tilt.

        Args:
            q: joint positions (dof,) [rad].
            qd: joint speeds (dof,) [rad/s].
            qdd: joint accelerations (dof,) [rad/s2].
        """
        tilted = bool(self._tilt.any())
        if self._pi[0]:
            found = self.load_torque(q, qd, qdd)
            return found + self._weight(q, np.zeros(4)) if tilted else found
        return self._weight(q, np.zeros(4)) if tilted else None
