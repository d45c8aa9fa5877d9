r"""Power flows of a motor: shaft, winding, losses and terminals.

With the motor's torque :math:`\tau_m` and speed :math:`w = gear\, \dot q`, the shaft power is
:math:`s = w \tau_m` and the winding's heat :math:`\tau_m^2 / k_m^2`. With :math:`r = k_t / k_b`

.. math:: P_{ideal} = \tau_m^2 / k_m^2 + s / r, \qquad
          P_{lossy} = \tau_m^2 / k_m^2 + \begin{cases} s / r & s > 0 \\ r s & s < 0 \end{cases}

``ideal`` is eq. 23 of the electro-mechanical model of the UR5e in all four quadrants: while
generating it returns ``1 / r`` of the shaft power, 112 % for r = 0.89. ``lossy`` loses the same
fraction in both directions. The loss is :math:`P - s - \tau_m^2 / k_m^2`.
"""

from __future__ import annotations

from typing import Any

from armtwin.equations.drives.drive import motor_constant_squared, motor_torques, required_drive
from armtwin.equations.dynamics.plant import link_torques
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

CONVERSIONS = ("ideal", "lossy")


def motor_torque(arm: Arm) -> Equation:
    """Torque of each motor [Nm, motor side] at speeds qd and link torques tau, with friction."""
    qd, tau = ca.SX.sym("qd", arm.dof), ca.SX.sym("tau", arm.dof)
    return Equation("motor_torque", {"qd": qd, "tau": tau}, {"u": motor_torques(arm, qd, tau)})


def link_load(arm: Arm) -> Equation:
    """Torques of links and rotors [Nm]: the motors' joint torques less friction.

    The load solves ``load + friction(qd, load) = tau``: friction laws depend on the load torque,
    not on the motor torque.
    """
    qd, tau = ca.SX.sym("qd", arm.dof), ca.SX.sym("tau", arm.dof)
    return Equation("link_load", {"qd": qd, "tau": tau}, {"u": link_torques(arm, qd, tau)})


def shaft_powers(arm: Arm, qd: Any, torque: Any) -> list[Any]:
    """Return the shaft powers, ``gear qd tau_m`` [W].

    Args:
        arm: an arm with drives.
        qd: joint speeds (dof,) [rad/s | m/s].
        torque: motor torques on the motor's side (dof,) [Nm].
    """
    return [
        required_drive(arm, joint, ()).gear * qd[i] * torque[i]
        for i, joint in enumerate(arm.driven)
    ]


def joule_powers(arm: Arm, torque: Any) -> list[Any]:
    """Return the heat of each winding, ``tau_m^2 / k_m^2`` [W]."""
    drives = [required_drive(arm, joint, ()) for joint in arm.driven]
    pairs = enumerate(zip(arm.driven, drives, strict=True))
    return [torque[i] ** 2 / motor_constant_squared(arm, j, drive) for i, (j, drive) in pairs]


def losses(shaft: Any, ratio: Any, conversion: str) -> Any:
    """Return the loss between winding and shaft [W]; negative with "ideal" while generating.

    Args:
        shaft: power at the motor's shaft [W].
        ratio: r, the torque constant over the back-EMF constant.
        conversion: "ideal" or "lossy", as in the equations above.
    """
    motoring = (1 / ratio - 1) * shaft
    return motoring if conversion == "ideal" else ca.fmax(motoring, (ratio - 1) * shaft)


def converted(shaft: Any, ratio: Any, conversion: str) -> Any:
    """Return the converted power of the winding [W], negative while generating.

    Args:
        shaft: power at the motor's shaft [W].
        ratio: r, the torque constant over the back-EMF constant.
        conversion: "ideal" or "lossy", as for ``losses``.
    """
    if conversion == "ideal":
        return shaft / ratio
    return ca.if_else(shaft > 0, shaft / ratio, ratio * shaft)


def flows(arm: Arm) -> Equation:
    """Powers of every motor [W]: shaft, winding's heat, loss and terminals by conversion."""
    qd, torque = ca.SX.sym("qd", arm.dof), ca.SX.sym("u", arm.dof)
    shaft, heat = shaft_powers(arm, qd, torque), ca.vertcat(*joule_powers(arm, torque))
    ratios: list[Any] = [required_drive(arm, joint, ()).back_emf_ratio for joint in arm.driven]
    pairs = list(zip(shaft, ratios, strict=True))
    outputs = {"shaft": ca.vertcat(*shaft), "joule": heat}
    for name in CONVERSIONS:
        outputs[f"loss_{name}"] = ca.vertcat(*[losses(s, r, name) for s, r in pairs])
    for name in CONVERSIONS:
        outputs[f"power_{name}"] = heat + ca.vertcat(*[converted(s, r, name) for s, r in pairs])
    return Equation("flows", {"qd": qd, "u": torque}, outputs)


def terminals(arm: Arm) -> Equation:
    r"""Current [A] and voltage [V] of every motor as an equivalent DC machine.

    .. math:: I = \tau_m / k_t, \quad V = R I + k_b w, \quad R = k_t^2 / k_m^2, \quad k_b = k_t / r
    """
    qd, torque = ca.SX.sym("qd", arm.dof), ca.SX.sym("u", arm.dof)
    currents, voltages = [], []
    for i, joint in enumerate(arm.driven):
        drive = required_drive(arm, joint, ("torque_constant",))
        kt: Any = drive.torque_constant
        currents.append(torque[i] / kt)
        resistance = kt**2 / motor_constant_squared(arm, joint, drive)
        speed = drive.gear * qd[i]
        voltages.append(resistance * currents[-1] + kt / drive.back_emf_ratio * speed)
    outputs = {"current": ca.vertcat(*currents), "voltage": ca.vertcat(*voltages)}
    return Equation("terminals", {"qd": qd, "u": torque}, outputs)


def torque_of_current(arm: Arm) -> Equation:
    """Motor torques [Nm, motor side] of measured currents, ``k_t I``."""
    current = ca.SX.sym("current", arm.dof)
    drives = [required_drive(arm, joint, ("torque_constant",)) for joint in arm.driven]
    kt: list[Any] = [drive.torque_constant for drive in drives]
    return Equation("torque_of_current", {"current": current}, {"u": ca.vertcat(*kt) * current})
