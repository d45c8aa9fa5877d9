"""The arm as a plant: its acceleration under motor torques, with friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armtwin.equations.drives.drive import friction_at_motor
from armtwin.equations.dynamics.recursion import (
    armature,
    composite_mass_matrix,
    solve_symmetric,
)
from armtwin.equations.dynamics.rigid_body import torque
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm, Drive


def joint_friction(arm: Arm, qd: Any, load: Any) -> Any:
    """Return the friction torques at the joints (dof, 1) [Nm]; 0 where a joint has no drive.

    Args:
        arm: the arm.
        qd: joint speeds (dof,) [rad/s | m/s].
        load: torques at the joints, of links and rotors (dof,) [Nm | N].
    """
    parts = [
        ca.SX(0) if joint.drive is None else _friction(joint.drive, qd[i], load[i])
        for i, joint in enumerate(arm.driven)
    ]
    return ca.vertcat(*parts)


def _friction(drive: Drive, qd: Any, load: Any) -> Any:
    return drive.gear * friction_at_motor(drive, qd, load)


def link_torques(arm: Arm, qd: Any, tau: Any) -> Any:
    """Return the torques of links and rotors: tau of the motors less friction (dof, 1) [Nm].

    Args:
        arm: the arm.
        qd: joint speeds (dof,) [rad/s | m/s].
        tau: torques of the motors at the joints (dof,) [Nm | N].
    """
    parts = [
        tau[i] if joint.drive is None else _load_torque(joint.drive, qd[i], tau[i])
        for i, joint in enumerate(arm.driven)
    ]
    return ca.vertcat(*parts)


def _load_torque(drive: Drive, qd: Any, tau: Any) -> Any:
    r"""Solve ``load + f(qd, load) = tau`` for the load.

    Every friction law is affine in the load on either side of zero,
    ``f = f_+ + k_+ load`` and ``f = f_- + k_- load``, so

    .. math:: load = \frac{\tau - f_+}{1 + k_+} \text{ where } > 0, \quad
              \frac{\tau - f_-}{1 + k_-} \text{ where } < 0, \quad 0 \text{ where neither holds}
    """
    load = ca.SX.sym("load")
    f = _friction(drive, qd, load)
    if not ca.depends_on(ca.SX(f), load):
        return tau - f
    driving, driven = (_affine_root(f, load, tau, side) for side in (1, -1))
    return ca.if_else(driving > 0, driving, ca.fmin(driven, 0))


def _affine_root(f: Any, load: Any, tau: Any, side: int) -> Any:
    slope = ca.substitute(ca.jacobian(f, load), load, side)
    return (tau - (ca.substitute(f, load, side) - side * slope)) / (1 + slope)


def acceleration(arm: Arm, q: Any, qd: Any, tau: Any, external: Any = 0) -> Any:
    """Return ``M^-1 (tau - f + tau_ext - C qd - g)`` (dof, 1).

    ``tau`` are the motor torques at the joints, subject to friction; ``external`` ones act on the
    links.

    Args:
        arm: an arm with masses.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        tau: torques of the motors at the joints, subject to friction (dof,) [Nm | N].
        external: torques that act on the links, without friction (dof,) [Nm | N].
    """
    parts = plant_parts(arm, q, qd, tau, external)
    return solve_symmetric(parts.mass, parts.load + parts.rest)


@dataclass(frozen=True)
class PlantParts:
    """The equation of motion ``M qdd = load + rest``, apart for solvers that treat friction alone.

    Attributes:
        mass: M(q) (dof, dof).
        load: torques of the motors less friction (dof, 1); entry i depends on qd_i and tau_i.
        slope: derivative of each load by its joint's speed (dof, 1).
        rest: external torques less Coriolis, centrifugal and gravity torques (dof, 1).
    """

    mass: Any
    load: Any
    slope: Any
    rest: Any


def plant_parts(arm: Arm, q: Any, qd: Any, tau: Any, external: Any = 0) -> PlantParts:
    """Return the parts of the equation of motion; arguments as ``acceleration``.

    Args:
        arm: an arm with masses.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        tau: torques of the motors at the joints, subject to friction (dof,) [Nm | N].
        external: torques that act on the links, without friction (dof,) [Nm | N].
    """
    load = link_torques(arm, qd, tau)
    bias = torque(arm, q, qd, ca.SX(arm.dof, 1))
    slope = ca.densify(ca.jtimes(load, qd, ca.SX.ones(arm.dof, 1)))
    return PlantParts(composite_mass_matrix(arm, q), load, slope, external - bias)


def plant(arm: Arm) -> Equation:
    """Acceleration of the arm with friction, ``M qdd = tau - f(qd, tau) - C qd - g``."""
    q, qd, tau = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "tau"))
    qdd = acceleration(arm, q, qd, tau)
    return Equation("plant", {"q": q, "qd": qd, "tau": tau}, {"qdd": qdd})


def pushed_plant(arm: Arm) -> Equation:
    """Acceleration with friction and external torques tau_ext on the links."""
    q, qd, tau, push = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "tau", "tau_ext"))
    inputs = {"q": q, "qd": qd, "tau": tau, "tau_ext": push}
    return Equation("pushed_plant", inputs, {"qdd": acceleration(arm, q, qd, tau, push)})


def flexible_plant(arm: Arm) -> Equation:
    r"""Accelerations of links q and of rotors theta that springs with dampers connect.

    .. math:: M_l(q) \ddot q + C \dot q + g = k (\theta - q) + d (\dot\theta - \dot q), \qquad
              B \ddot\theta = \tau - f(\dot\theta, \tau) - k (\theta - q)
              - d (\dot\theta - \dot q)

    ``M_l`` is the mass matrix without rotors; rotors turn about their joints' axes alone, so that
    ``B`` is diagonal. theta is measured at the joint, behind the gear.
    """
    names = ("q", "qd", "theta", "thetad", "tau", "stiffness", "damping", "rotor")
    inputs = {name: ca.SX.sym(name, arm.dof) for name in names}
    q, qd, theta, thetad, tau, stiffness, damping, rotor = inputs.values()
    spring = stiffness * (theta - q) + damping * (thetad - qd)
    links = composite_mass_matrix(arm, q) - ca.diag(armature(arm))
    qdd = solve_symmetric(links, spring - torque(arm, q, qd, ca.SX(arm.dof, 1)))
    thetadd = (link_torques(arm, thetad, tau) - spring) / rotor
    return Equation("flexible_plant", inputs, {"qdd": qdd, "thetadd": thetadd})
