r"""Motors, gears and friction as CasADi expressions.

On the motor's side speed is ``w = gear qd`` and the gear divides the joint's torque:

.. math:: \tau_m = \tau / gear + \tau_f, \quad I = \tau_m / k_t, \quad
          P = \tau_m^2 / k_m^2 + (k_b / k_t)\, w\, \tau_m

A friction law gives the torque that opposes the speed, from the speed and the load torque of the
gear, both on the side (motor or joint) of its parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm, Drive, Joint
from armtwin.model.drive import SMOOTHING, STANDING_SPEED, viscous_slope


def _smooth_sign(speed: Any, p: dict[str, Any]) -> Any:
    return ca.tanh(speed / p.get("smoothing", SMOOTHING))


def viscous_coulomb(speed: Any, load: Any, p: dict[str, Any]) -> Any:
    """``viscous w + coulomb tanh(w / smoothing)``.

    Args:
        speed: of the shaft on the law's side [rad/s | m/s].
        load: torque that the shaft transmits [Nm | N].
        p: parameters of the law by name, as ``model.drive.PARAMETERS`` lists them.
    """
    return p["viscous"] * speed + p["coulomb"] * _smooth_sign(speed, p)


def power_flow(speed: Any, load: Any, p: dict[str, Any]) -> Any:
    """``viscous w + T tanh(w / smoothing)``; T depends on the direction of power flow.

    ``T = coulomb_direct`` while the motor drives the load (``w load > 0``), ``coulomb_reverse``
    while the load drives the motor (``w load < 0``), their mean at ``w load = 0``.

    Args:
        speed: of the shaft on the law's side [rad/s | m/s].
        load: torque that the shaft transmits [Nm | N].
        p: parameters of the law by name, as ``model.drive.PARAMETERS`` lists them.
    """
    flow = speed * load
    direct, reverse = p["coulomb_direct"], p["coulomb_reverse"]
    level = ca.if_else(flow > 0, direct, ca.if_else(flow < 0, reverse, (direct + reverse) * 0.5))
    return p["viscous"] * speed + level * _smooth_sign(speed, p)


def stribeck(speed: Any, load: Any, p: dict[str, Any]) -> Any:
    """``viscous w + (coulomb + (static - coulomb) exp(-(w / stribeck_speed)^2)) tanh(...)``.

    Args:
        speed: of the shaft on the law's side [rad/s | m/s].
        load: torque that the shaft transmits [Nm | N].
        p: parameters of the law by name, as ``model.drive.PARAMETERS`` lists them.
    """
    rise = (p["static"] - p["coulomb"]) * ca.exp(-((speed / p["stribeck_speed"]) ** 2))
    return p["viscous"] * speed + (p["coulomb"] + rise) * _smooth_sign(speed, p)


def load_dependent(speed: Any, load: Any, p: dict[str, Any]) -> Any:
    """``viscous w + (coulomb + load |tau|) tanh(w / smoothing)``.

    Args:
        speed: of the shaft on the law's side [rad/s | m/s].
        load: torque that the shaft transmits [Nm | N].
        p: parameters of the law by name, as ``model.drive.PARAMETERS`` lists them.
    """
    return p["viscous"] * speed + (p["coulomb"] + p["load"] * ca.fabs(load)) * _smooth_sign(
        speed, p
    )


def gear(speed: Any, load: Any, p: dict[str, Any]) -> Any:
    """``viscous w + (coulomb + rise (1 - exp(-|w| / rise_speed)) + load |tau|) tanh(...)``.

    For greased strain-wave gears: friction saturates with speed and grows with the load.

    Args:
        speed: of the shaft on the law's side [rad/s | m/s].
        load: torque that the shaft transmits [Nm | N].
        p: parameters of the law by name, as ``model.drive.PARAMETERS`` lists them.
    """
    saturating = p["rise"] * (1 - ca.exp(-ca.fabs(speed) / p["rise_speed"]))
    level = p["coulomb"] + saturating + p["load"] * ca.fabs(load)
    return p["viscous"] * speed + level * _smooth_sign(speed, p)


LAWS: dict[str, Callable[[Any, Any, dict[str, Any]], Any]] = {
    "viscous-coulomb": viscous_coulomb,
    "power-flow": power_flow,
    "stribeck": stribeck,
    "load-dependent": load_dependent,
    "gear": gear,
}


def friction_at_motor(drive: Drive, qd: Any, tau: Any) -> Any:
    """Return the friction torque on the motor's side [Nm] at joint speed qd and torque tau.

    Args:
        drive: the drive, with or without friction.
        qd: joint speed [rad/s | m/s].
        tau: torque at the joint, of links and rotor [Nm | N].
    """
    friction = drive.friction
    if friction is None:
        return ca.SX(0)
    law, p = LAWS[friction.model], dict(friction.parameters)
    if friction.side == "motor":
        return law(drive.gear * qd, tau / drive.gear, p)
    return law(qd, tau, p) / drive.gear


def friction(arm: Arm) -> Equation:
    """Friction torque at the joints [Nm] for speeds qd and link torques tau."""
    qd, tau = ca.SX.sym("qd", arm.dof), ca.SX.sym("tau", arm.dof)
    drives = [required_drive(arm, joint, ()) for joint in arm.driven]
    values = [d.gear * friction_at_motor(d, qd[i], tau[i]) for i, d in enumerate(drives)]
    return Equation("friction", {"qd": qd, "tau": tau}, {"friction": ca.vertcat(*values)})


def dry_level(drive: Drive, qd: Any, tau: Any, turning: Any) -> Any:
    """Return the level of dry friction at the joint [Nm], not negative.

    A joint below ``STANDING_SPEED`` has it as at that speed: what stiction can hold.

    Args:
        drive: a drive with friction.
        qd: joint speed [rad/s | m/s]; its size alone matters.
        tau: torque at the joint, of links and rotor [Nm | N].
        turning: direction of turning, 1 or -1.
    """
    speed = turning * ca.fmax(ca.fabs(qd), STANDING_SPEED)
    whole = drive.gear * friction_at_motor(drive, speed, tau)
    return ca.fmax(turning * (whole - viscous_slope(drive) * speed), 0)


def friction_parts(arm: Arm) -> Equation:
    r"""Friction at the joints [Nm] as two parts, ``f = viscous + dry sign(qd)``.

    ``dry`` is the level of ``dry_level``. Both are zero where a joint has no drive. Inputs: speeds
    qd and link torques tau.
    """
    qd, tau = ca.SX.sym("qd", arm.dof), ca.SX.sym("tau", arm.dof)
    viscous, dry = [], []
    for i, joint in enumerate(arm.driven):
        if joint.drive is None or joint.drive.friction is None:
            viscous.append(ca.SX(0))
            dry.append(ca.SX(0))
            continue
        turning = ca.if_else(qd[i] < 0, -1, 1)
        viscous.append(viscous_slope(joint.drive) * qd[i])
        dry.append(dry_level(joint.drive, qd[i], tau[i], turning))
    outputs = {"viscous": ca.vertcat(*viscous), "dry": ca.vertcat(*dry)}
    return Equation("friction_parts", {"qd": qd, "tau": tau}, outputs)


def motor_torques(arm: Arm, qd: Any, tau: Any) -> Any:
    """Return the motor torques [Nm, motor side], friction included (dof, 1).

    Args:
        arm: an arm with drives.
        qd: joint speeds (dof,) [rad/s | m/s].
        tau: torques at the joints, of links and rotors (dof,) [Nm | N].
    """
    values = []
    for i, joint in enumerate(arm.driven):
        drive = required_drive(arm, joint, ())
        values.append(tau[i] / drive.gear + friction_at_motor(drive, qd[i], tau[i]))
    return ca.vertcat(*values)


def current(arm: Arm) -> Equation:
    """Motor currents [A] for joint speeds qd and torques tau of links and rotors."""
    qd, tau = ca.SX.sym("qd", arm.dof), ca.SX.sym("tau", arm.dof)
    drives = [required_drive(arm, joint, ("torque_constant",)) for joint in arm.driven]
    kt: list[Any] = [drive.torque_constant for drive in drives]
    outputs = {"current": motor_torques(arm, qd, tau) / ca.vertcat(*kt)}
    return Equation("current", {"qd": qd, "tau": tau}, outputs)


def power(arm: Arm) -> Equation:
    """Electrical power of each motor [W], without drive electronics."""
    qd, tau = ca.SX.sym("qd", arm.dof), ca.SX.sym("tau", arm.dof)
    torque, values = motor_torques(arm, qd, tau), []
    for i, joint in enumerate(arm.driven):
        drive = required_drive(arm, joint, ())
        heat = torque[i] ** 2 / motor_constant_squared(arm, joint, drive)
        values.append(heat + drive.gear * qd[i] * torque[i] / drive.back_emf_ratio)
    return Equation("power", {"qd": qd, "tau": tau}, {"power": ca.vertcat(*values)})


def motor_constant_squared(arm: Arm, joint: Joint, drive: Drive) -> Any:
    """Return ``k_m^2 = k_t^2 / R`` [Nm2/W].

    Args:
        arm: the arm, for the error message.
        joint: the joint, for the error message.
        drive: its drive.
    """
    if drive.motor_constant is not None:
        return drive.motor_constant**2
    if drive.torque_constant is not None and drive.resistance is not None:
        return drive.torque_constant**2 / drive.resistance
    raise MissingDataError(
        f"arm {arm.name!r}: {joint.name} has neither drive.motor_constant nor torque_constant and "
        "resistance, which electrical power needs; add them under [joints.drive]"
    )


def required_drive(arm: Arm, joint: Joint, needed: tuple[str, ...]) -> Drive:
    """Return a joint's drive; raise MissingDataError where it or a needed number is missing.

    Args:
        arm: the arm, for the error message.
        joint: the joint.
        needed: names of the drive's numbers that must be known.
    """
    drive = joint.drive
    missing = [name for name in needed if drive is None or getattr(drive, name) is None]
    if drive is None or missing:
        what = ", ".join(missing) or "any drive"
        raise MissingDataError(
            f"arm {arm.name!r}: {joint.name} lacks {what}; add [joints.drive] with the gear, "
            "constants and friction of its motor (ur5e-energy shows a complete one)"
        )
    return drive
