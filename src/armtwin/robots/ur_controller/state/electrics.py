"""Currents, power and warmth of a virtual robot's drives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import Kernel, kernel
from armtwin.equations.drives import drive as drive_equations
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.model.drive import torque_per_ampere
from armtwin.robots.ur_controller.body.kinematic import RobotBody
from armtwin.robots.ur_controller.state.registers import Registers
from armtwin.spatial import Array


@dataclass(frozen=True)
class PowerSupply:
    """Electrical values that the arm file lacks; typical, not measured.

    Attributes:
        voltage: of the robot's supply [V].
        main_voltage: of the mains side of the supply, as controllers report it [V].
        idle_power: taken by control box and brakes while the arm rests [W].
        ambient: temperature around [degC].
        warming: of a joint above ambient per watt of loss, in the long run [K/W].
        inertia: time constant of the joints' temperatures [s].
    """

    voltage: float = 48.0
    main_voltage: float = 48.0
    idle_power: float = 75.0
    ambient: float = 25.0
    warming: float = 0.6
    inertia: float = 1500.0


class Electrics:
    """Computes the drive measurements of a controller from a body's torques.

    Arms without drives in their file have no currents and stay at ambient temperature; their
    power is the mechanical one.
    """

    def __init__(self, arm: Arm, registers: Registers, supply: PowerSupply) -> None:
        self._registers, self.supply = registers, supply
        amperes = torque_per_ampere(arm)
        self._per_ampere = amperes if np.isfinite(amperes).all() else None
        self._power = _power_kernel(arm)
        self.warmth = np.full(arm.dof, supply.ambient)
        self.energy, self._none = 0.0, np.zeros(arm.dof)
        registers["joint_temperatures"][: arm.dof] = self.warmth
        registers["actual_main_voltage"] = supply.main_voltage
        registers["actual_robot_voltage"] = supply.voltage
        registers["actual_joint_voltage"] = supply.voltage
        registers["tool_temperature"] = supply.ambient

    @property
    def known(self) -> bool:
        """Whether the arm file says how currents make torques."""
        return self._per_ampere is not None

    def current(self, tau: Array) -> Array:
        """Return the motor currents (dof,) [A] of torques at the joints."""
        return tau / self._per_ampere if self._per_ampere is not None else self._none

    def step(self, body: RobotBody, dt: float) -> None:
        """Write the drive measurements of the last cycle."""
        r, dof, power = self._registers, body.arm.dof, body.tau * body.qd
        if self._power is not None:
            mechanical = power
            power = (self._power.fast(body.qd, body.load) or self._power(body.qd, body.load))[0]
            self._warm_up(np.maximum(power - mechanical, 0.0), dt)
            r["joint_temperatures"][:dof] = self.warmth
        drawn = max(0.0, self.supply.idle_power + sum(power.tolist()))
        self.energy += drawn * dt
        r["actual_current"][:dof] = self.current(body.tau)
        r["actual_current_as_torque"][:dof] = body.tau
        r["actual_robot_current"][0] = drawn / self.supply.voltage
        r["actual_robot_energy_consumed"][0] = self.energy

    def _warm_up(self, loss: Array, dt: float) -> None:
        """Let joints follow the temperature of their loss (dof,) [W]."""
        goal = self.supply.ambient + self.supply.warming * loss
        self.warmth += (goal - self.warmth) * (dt / self.supply.inertia)


def _power_kernel(arm: Arm) -> Kernel | None:
    if any(joint.drive is None for joint in arm.driven):
        return None  # said here, without CasADi: most arm files have no drives
    try:
        return kernel(arm, drive_equations.power)
    except MissingDataError:
        return None
