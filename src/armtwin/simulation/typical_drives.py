"""Drives like those of a real UR10e, for arms whose files have none.

Rotor inertia and friction at the joints as found in logs of real UR10e arms: Coulomb 17, 17.6, 6.8,
2.9, 3.4, 2.6 Nm; viscous 22, 17, 10, 3.5, 2.3, 3.0 Nms/rad; rotor about 4.75, 4.75, 1.6, 0.42,
0.42, 0.42 kg m2; current noise above 8 Hz 120, 149, 98, 21, 30, 22 mA. Torque constants (0.1005
Nm/A for the large joints, 0.080 for the wrist, gear 101) are those of the maker's joint test of a
UR5e.
"""

from __future__ import annotations

import dataclasses

from armtwin.errors import InputError, MissingDataError
from armtwin.model.arm import Arm, Drive, Friction
from armtwin.model.drive import effort_limits
from armtwin.simulation.sensors import Sensors

GEAR = 101.0
"""Gear ratio of the maker's joint test of a UR5e."""
COULOMB = (17.0, 17.6, 6.8, 2.9, 3.4, 2.6)
"""Coulomb friction at the joints [Nm], from logs of real UR10e arms."""
VISCOUS = (22.0, 17.0, 10.0, 3.5, 2.3, 3.0)
"""Viscous friction at the joints [Nms/rad], from the same logs."""
ROTOR = (4.75, 4.75, 1.6, 0.42, 0.42, 0.42)
"""Rotor inertia at the joints [kg m2], from the same logs."""
CURRENT_NOISE = (0.120, 0.149, 0.098, 0.021, 0.030, 0.022)
"""Standard deviation of the motor currents above 8 Hz [A], from the same logs."""
EFFORT = (330.0, 330.0, 150.0, 56.0, 56.0, 56.0)
"""Torque limits of a UR10e [Nm], by which the drives of other arms are scaled."""
TORQUE_CONSTANT = (0.1005, 0.1005, 0.1005, 0.080, 0.080, 0.080)
"""Motor torque per current [Nm/A] of the maker's joint test of a UR5e."""


def with_real_drives(arm: Arm, *, friction: float = 1.0, rotor: float = 1.0) -> Arm:
    """Return the arm with drives of a UR10e's strength; another arm's by its torque limits.

    Args:
        arm: an arm whose joints have torque limits.
        friction: factor of all friction; 0 for none.
        rotor: factor of the rotor inertias.

    Raises:
        MissingDataError: a joint without a torque limit.
    """
    missing = [joint.name for joint in arm.driven if joint.limits.effort is None]
    if missing:
        raise MissingDataError(
            f"arm {arm.name!r} has no torque limit for {', '.join(missing)}, by which drives are "
            "scaled; add limits.effort to its file"
        )
    numbered = iter(enumerate(effort_limits(arm)))
    joints = []
    for joint in arm.joints:
        if joint.kind != "fixed":
            drive = _drive(*next(numbered), friction, rotor)
            joint = dataclasses.replace(joint, drive=drive)  # noqa: PLW2901
        joints.append(joint)
    return arm.with_(joints=tuple(joints))


def real_sensors(arm: Arm) -> Sensors:
    """Return sensors whose current noise is that of a real arm."""
    like = [CURRENT_NOISE[min(k, 5)] for k in range(arm.dof)]
    return Sensors(torque_noise=0.0, current_noise=like)


NOISES = ("none", "typical", "real")
"""Names of the sensors' noise, as the command line and study files write them."""


def named_sensors(arm: Arm, noise: str) -> Sensors:
    """Return the sensors of a simulated arm by the name of their noise.

    Args:
        arm: the arm.
        noise: one of ``NOISES``: no errors, the defaults of ``Sensors``, or those of a real arm.
    """
    if noise not in NOISES:
        raise InputError(f"noise is one of {', '.join(NOISES)}; got {noise!r}")
    if noise == "none":
        return Sensors.perfect()
    return real_sensors(arm) if noise == "real" else Sensors()


def _drive(k: int, effort: float, friction: float, rotor: float) -> Drive:
    like = min(k, 5)
    scale = effort / EFFORT[like]
    numbers = (
        ("viscous", friction * scale * VISCOUS[like]),
        ("coulomb", friction * scale * COULOMB[like]),
    )
    return Drive(
        gear=GEAR,
        motor_inertia=rotor * scale * ROTOR[like] / GEAR**2,
        torque_constant=TORQUE_CONSTANT[like],
        friction=Friction("viscous-coulomb", numbers, "joint") if friction > 0 else None,
    )
