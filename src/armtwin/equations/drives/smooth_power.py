r"""Electrical power of a motion as a smooth approximation, for optimisers.

Signs become ``tanh`` over ``SPEED`` instead of the drive's much shorter smoothing, the level of
power-flow friction changes over the fraction ``FLOW`` of itself, and clipped powers are rounded
over ``CORNER`` watts:

.. math:: \max(P, 0) \to (P + \sqrt{P^2 + c^2}) / 2
"""

from __future__ import annotations

import dataclasses
from typing import Any

from armtwin.equations.drives.drive import friction_at_motor, motor_constant_squared, required_drive
from armtwin.equations.dynamics.rigid_body import torque
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm, Drive, Friction

SPEED = 0.1
"""Joint speed over which the sign of friction changes [rad/s]."""
FLOW = 0.5
"""Fraction of the Coulomb level over which its direction changes."""
CORNER = 1.5
"""Width of the rounding of clipped powers [W]."""


def smooth_friction(drive: Drive, qd: Any, tau: Any) -> Any:
    """Return a drive's friction on the motor's side [Nm], smooth in speed and load.

    Args:
        drive: the drive, with or without friction.
        qd: joint speed [rad/s | m/s].
        tau: torque at the joint, of links and rotor [Nm | N].
    """
    friction = drive.friction
    if friction is None:
        return friction_at_motor(drive, qd, tau)
    p = dict(friction.parameters)
    p["smoothing"] = SPEED * (abs(drive.gear) if friction.side == "motor" else 1.0)
    if friction.model != "power-flow":
        return friction_at_motor(_with(drive, friction.model, p), qd, tau)
    direct, reverse = p.pop("coulomb_direct"), p.pop("coulomb_reverse")
    load = tau / drive.gear if friction.side == "motor" else tau
    width = FLOW * (direct + reverse) / 2 + 1e-9
    share = (1 + ca.tanh(ca.tanh(qd / SPEED) * load / width)) / 2
    levels = [
        friction_at_motor(_with(drive, "viscous-coulomb", p | {"coulomb": level}), qd, tau)
        for level in (direct, reverse)
    ]
    return share * levels[0] + (1 - share) * levels[1]


def _with(drive: Drive, model: str, p: dict[str, float]) -> Drive:
    assert drive.friction is not None
    friction = Friction(model, tuple(p.items()), drive.friction.side)
    return dataclasses.replace(drive, friction=friction)


def _positive(x: Any) -> Any:
    return (x + ca.sqrt(x**2 + CORNER**2)) / 2


def smooth_power(
    arm: Arm, q: Any, qd: Any, qdd: Any, conversion: str, sink: str
) -> tuple[Any, Any]:
    """Return the power of the supply [W] and the joint torques with friction (dof, 1) [Nm].

    Args:
        arm: an arm with masses, drives and motor constants.
        q: joint positions (dof, 1).
        qd: speeds.
        qdd: accelerations.
        conversion: "ideal" or "lossy", see ``equations/drives/energy.py``.
        sink: "supply", "bus" or "brake", see ``dynamics/regeneration.py``.
    """
    load, powers, torques = torque(arm, q, qd, qdd), [], []
    for i, joint in enumerate(arm.driven):
        drive = required_drive(arm, joint, ())
        tau = load[i] / drive.gear + smooth_friction(drive, qd[i], load[i])
        shaft, r = drive.gear * qd[i] * tau, drive.back_emf_ratio
        heat = tau**2 / motor_constant_squared(arm, joint, drive)
        back = shaft / r
        if conversion == "lossy":
            back = r * shaft + (1 / r - r) * _positive(shaft)
        powers.append(heat + back)
        torques.append(drive.gear * tau)
    if sink == "brake":
        powers = [_positive(power) for power in powers]
    total = sum(powers[1:], powers[0])
    return _positive(total) if sink == "bus" else total, ca.vertcat(*torques)
