"""Sensors of a simulated arm: noise, quantisation and delays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.drive import torque_per_ampere
from armtwin.spatial import Array, as_numbers


@dataclass(frozen=True, eq=False)
class Sensors:
    """Errors of the measured joint positions, speeds and torques, one for all joints or (dof,).

    The motor current is what is measured; where the arm file has no torque constants it counts
    as torque, and ``current_noise`` has no effect.

    Attributes:
        position_noise: standard deviation [rad | m].
        speed_noise: standard deviation [rad/s | m/s].
        torque_noise: standard deviation at the joints [Nm | N].
        current_noise: standard deviation of the motor currents [A].
        position_step: resolution of the encoders [rad | m]; 0 for none.
        speed_step: resolution of the speeds [rad/s | m/s]; 0 for none.
        torque_step: resolution of the torques [Nm | N]; 0 for none.
        delay: control periods between a measurement and its use by the controller.
        command_delay: control periods between the controller's output and the motor's torque.
    """

    position_noise: ArrayLike = 1e-5
    speed_noise: ArrayLike = 2e-4
    torque_noise: ArrayLike = 0.05
    current_noise: ArrayLike = 0.0
    position_step: ArrayLike = 0.0
    speed_step: ArrayLike = 0.0
    torque_step: ArrayLike = 0.0
    delay: int = 0
    command_delay: int = 0

    @classmethod
    def perfect(cls) -> Sensors:
        """Return sensors without any error."""
        return cls(position_noise=0.0, speed_noise=0.0, torque_noise=0.0)

    def of(self, arm: Arm, name: str) -> Array:
        """Return one of the errors per joint (dof,)."""
        value = as_numbers(getattr(self, name), name)
        if value.shape not in ((), (arm.dof,)) or not np.isfinite(value).all() or (value < 0).any():
            raise InputError(
                f"{name} is one number or {arm.dof}, not negative; got {getattr(self, name)!r}"
            )
        return np.array(np.broadcast_to(value, (arm.dof,)))

    def check(self, arm: Arm) -> None:
        """Refuse numbers that make no sense for the arm."""
        for name in ("position", "speed", "torque"):
            self.of(arm, f"{name}_noise")
            self.of(arm, f"{name}_step")
        self.of(arm, "current_noise")
        for name in ("delay", "command_delay"):
            value = getattr(self, name)
            if not isinstance(value, int) or not 0 <= value <= 1000:
                raise InputError(f"{name} is a whole number of control periods, got {value!r}")


class SensorReading:
    """Noise for a whole run, drawn before it starts, and the steps of the sensors."""

    def __init__(self, sensors: Sensors, arm: Arm, rows: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        from_current = sensors.of(arm, "current_noise") * np.nan_to_num(torque_per_ampere(arm))
        torque = np.hypot(sensors.of(arm, "torque_noise"), from_current)
        scales = (sensors.of(arm, "position_noise"), sensors.of(arm, "speed_noise"), torque)
        self.noise = [random.standard_normal((rows, arm.dof)) * scale for scale in scales]
        self.steps = [sensors.of(arm, f"{name}_step") for name in ("position", "speed", "torque")]
        self._stepped = [bool((step > 0).any()) for step in self.steps]

    def read(self, kind: int, row: int, truth: Array, out: Array) -> None:
        """Write the measurement to ``out``: 0 for positions, 1 for speeds, 2 for torques.

        Args:
            kind: 0 for positions, 1 for speeds, 2 for torques.
            row: number of the sample, which selects its noise.
            truth: true values (dof,) [rad, rad/s, Nm].
            out: array (dof,) that the measurement is written to.
        """
        np.add(truth, self.noise[kind][row], out=out)
        if self._stepped[kind]:
            step = self.steps[kind]
            wide = np.where(step > 0, step, 1.0)
            out[:] = np.where(step > 0, np.round(out / wide) * wide, out)
