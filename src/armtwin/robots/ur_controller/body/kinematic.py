"""The body of a virtual robot: how its joints follow the controller's reference."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from armtwin.compile.kernel import Kernel, kernel
from armtwin.dynamics.rigid_body import inverse_dynamics
from armtwin.equations.drives import drive as drive_equations
from armtwin.errors import MissingDataError
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.robots.ur.payload import Payload
from armtwin.robots.ur_controller.motion.joint_moves import Reference
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.simulation.sensors import Sensors


class RobotBody(ABC):
    """An arm that is led.

    Attributes:
        arm: its numbers.
        q: measured joint positions (dof,) [rad].
        qd: measured joint speeds (dof,) [rad/s].
        tau: torques of the motors at the joints (dof,) [Nm].
        load: what of them friction leaves for the links (dof,) [Nm].
        external: torques from outside on the links (dof,) [Nm].
        has_forces: whether forces move it; else it does what the reference says.
    """

    has_forces = False

    def __init__(self, arm: Arm, q: Array) -> None:
        self.arm, self.q, self.qd = arm, q.copy(), np.zeros(arm.dof)
        self.tau, self.load, self.external = (np.zeros(arm.dof) for _ in range(3))
        self._payload = Payload(arm)

    @abstractmethod
    def step(self, reference: Reference, push: Array, dt: float) -> None:
        """Advance by a control cycle of ``dt`` seconds.

        Args:
            reference: the controller's reference at the cycle's end.
            push: external torques at the joints (dof,) [Nm].
            dt: length of the cycle [s].
        """

    def carry(self, mass: float, com: Array, inertia: Array | None = None) -> None:
        """Carry a load.

        Args:
            mass: [kg].
            com: its centre of gravity in the flange frame (3,) [m].
            inertia: xx, yy, zz, xy, xz, yz about that centre [kg m2]; None: a point mass.
        """
        self._payload.set(mass, com, inertia)

    def tool_pose(self) -> Array:
        """Return where the tool is, ``T_base_tool`` (4, 4), by the joints' error curves too."""
        return fk(self.arm, self.q, ignore_limits=True)

    def tilt(self, gravity: Array) -> None:
        """Stand so that free fall has the acceleration ``gravity`` (3,) in base [m/s2]."""
        self._payload.tilt(gravity)


class KinematicBody(RobotBody):
    """A body that follows its reference exactly; its torques are those that this needs.

    An arm file without masses gives an arm without torques.
    """

    def __init__(self, arm: Arm, q: Array, sensors: Sensors | None = None, seed: int = 0) -> None:
        super().__init__(arm, q)
        self._noise = SensorNoise(arm, sensors, seed)
        self._friction = friction_kernel(arm)
        self._massless = not _has_masses(arm)

    def step(self, reference: Reference, push: Array, dt: float) -> None:
        """Be where the reference is; the motors hold against the push.

        Args:
            reference: what the joints shall do in this cycle.
            push: external torques at the joints (dof,) [Nm].
            dt: length of the cycle [s].
        """
        self.q, self.qd = self._noise.add(reference.q, reference.qd)
        self.external = push
        if self._massless:
            return
        q, qd, qdd = reference.q, reference.qd, reference.qdd
        load = inverse_dynamics(self.arm, q, qd, qdd, ignore_limits=True)
        carried = self._payload.torque(q, qd, qdd)
        self.load = load - push if carried is None else load + carried - push
        self.tau = self.load
        if self._friction is not None:
            lost = self._friction.fast(qd, self.load) or self._friction(qd, self.load)
            self.tau = self.load + lost[0]


class SensorNoise:
    """Errors of position and speed sensors."""

    def __init__(self, arm: Arm, sensors: Sensors | None, seed: int) -> None:
        self._scales: tuple[Array, Array] | None = None
        if sensors is not None:
            self._random = np.random.default_rng(seed)
            self._scales = (sensors.of(arm, "position_noise"), sensors.of(arm, "speed_noise"))

    def add(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the sensor readings."""
        if self._scales is None:
            return q, qd
        drawn = self._random.standard_normal((2, q.size))
        return q + self._scales[0] * drawn[0], qd + self._scales[1] * drawn[1]


def friction_kernel(arm: Arm) -> Kernel | None:
    """Return the arm's friction by speed and load; None where the arm file has no drives."""
    if any(joint.drive is None for joint in arm.driven):
        return None
    return kernel(arm, drive_equations.friction)


def _has_masses(arm: Arm) -> bool:
    try:
        arm.require_masses()
    except MissingDataError:
        return False
    return True
