"""The arm as a plant: its acceleration under motor torques, with friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armtwin.equations.drives import presliding
from armtwin.equations.drives.drive import dry_level, friction_at_motor
from armtwin.equations.dynamics.recursion import (
    armature,
    composite_mass_matrix,
    solve_symmetric,
)
from armtwin.equations.dynamics.rigid_body import torque
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm, Drive
from armtwin.model.drive import viscous_slope

SIDES = 0.1
"""Part of dry friction over which the level of a held joint changes with the load's direction."""
TINY = 1e-9
"""Keeps a quotient of torques finite [Nm]."""


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


def link_torques(arm: Arm, qd: Any, tau: Any, share: Any = None) -> Any:
    """Return the torques of links and rotors: tau of the motors less friction (dof, 1) [Nm].

    Args:
        arm: the arm.
        qd: joint speeds (dof,) [rad/s | m/s].
        tau: torques of the motors at the joints (dof,) [Nm | N].
        share: of the dry friction that the elements of presliding hold (dof,), for joints that
            have presliding; None to smooth the friction of every joint near zero speed.
    """
    parts = []
    for i, joint in enumerate(arm.driven):
        drive = joint.drive
        if drive is None:
            parts.append(tau[i])
        elif share is None or presliding.numbers(drive) is None:
            parts.append(_load_torque(drive, qd[i], tau[i]))
        else:
            parts.append(_held_load(drive, qd[i], tau[i], share[i]))
    return ca.vertcat(*parts)


def held_loads(arm: Arm) -> Equation:
    """Torques of links and rotors [Nm] of joints that elements of presliding hold.

    Inputs: speeds qd, motor torques tau, the elements' shares of the dry friction. ``grip`` is what
    a change of the share takes from the load. Other joints are as in ``link_torques``, with grip 0.
    """
    inputs = {name: ca.SX.sym(name, arm.dof) for name in ("qd", "tau", "share")}
    load = link_torques(arm, inputs["qd"], inputs["tau"], inputs["share"])
    return Equation("held_loads", inputs, {"u": load, "friction": -_each(load, inputs["share"])})


def _each(values: Any, by: Any) -> Any:
    """Return the derivative of every value by the entry of its joint (dof, 1)."""
    return ca.densify(ca.jtimes(values, by, ca.SX.ones(by.numel(), 1)))


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


def _held_load(drive: Drive, qd: Any, tau: Any, share: Any) -> Any:
    r"""Solve ``load + viscous qd + dry(qd, load) s = tau`` for the load, s a share of elements.

    As in ``_load_torque`` dry friction is affine in the load on either side of zero. The side
    follows from the friction of no load, over a tenth of its level: friction is then a function of
    the elements alone, and a standing joint neither creeps nor chatters where a law's level jumps.

    Args:
        drive: a drive with friction.
        qd: joint speed [rad/s | m/s].
        tau: torque of the motor at the joint [Nm | N].
        share: of the dry friction, -1 to 1.
    """
    load = ca.SX.sym("load")
    dry = dry_level(drive, qd, load, ca.if_else(share < 0, -1, 1))
    f = viscous_slope(drive) * qd + dry * share
    if not ca.depends_on(ca.SX(f), load):
        return tau - f
    unloaded, level = (ca.substitute(ca.SX(x), load, 0) for x in (f, dry))
    side = (tau - unloaded) / (SIDES * level + TINY)
    driving = ca.fmax(0, ca.fmin(1, 0.5 + 0.5 * side))
    positive, negative = (_affine_root(f, load, tau, one) for one in (1, -1))
    return driving * positive + (1 - driving) * negative


def _affine_root(f: Any, load: Any, tau: Any, side: int) -> Any:
    slope = ca.substitute(ca.jacobian(f, load), load, side)
    return (tau - (ca.substitute(f, load, side) - side * slope)) / (1 + slope)


def acceleration(
    arm: Arm,
    q: Any,
    qd: Any,
    tau: Any,
    external: Any = 0,
    *,
    elements: presliding.Elements | None = None,
) -> Any:
    """Return ``M^-1 (tau - f + tau_ext - C qd - g)`` (dof, 1).

    ``tau`` are the motor torques at the joints, subject to friction; ``external`` ones act on the
    links.

    Args:
        arm: an arm with masses.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        tau: torques of the motors at the joints, subject to friction (dof,) [Nm | N].
        external: torques that act on the links, without friction (dof,) [Nm | N].
        elements: of presliding; None to smooth the friction of every joint near zero speed.
    """
    parts = plant_parts(arm, q, qd, tau, external, elements=elements)
    return solve_symmetric(parts.mass, parts.load + parts.rest)


@dataclass(frozen=True)
class PlantParts:
    """The equation of motion ``M qdd = load + rest``, apart for solvers that treat friction alone.

    Attributes:
        mass: M(q) (dof, dof).
        load: torques of the motors less friction (dof, 1); entry i depends on qd_i and tau_i.
        slope: derivative of each load by its joint's speed (dof, 1).
        stiffness: derivative of each load by its joint's displacement (dof, 1); 0 without
            presliding.
        rest: external torques less Coriolis, centrifugal and gravity torques (dof, 1).
    """

    mass: Any
    load: Any
    slope: Any
    stiffness: Any
    rest: Any


def plant_parts(
    arm: Arm,
    q: Any,
    qd: Any,
    tau: Any,
    external: Any = 0,
    *,
    elements: presliding.Elements | None = None,
) -> PlantParts:
    """Return the parts of the equation of motion; arguments as ``acceleration``.

    Args:
        arm: an arm with masses.
        q: joint positions (dof,) [rad | m].
        qd: joint speeds (dof,) [rad/s | m/s].
        tau: torques of the motors at the joints, subject to friction (dof,) [Nm | N].
        external: torques that act on the links, without friction (dof,) [Nm | N].
        elements: of presliding; None to smooth the friction of every joint near zero speed.
    """
    share, yields = ca.SX.sym("share", arm.dof), ca.SX.zeros(arm.dof, 1)
    shares = ca.SX.zeros(arm.dof, 1)
    for i, (z, width, after) in (elements.of(arm) if elements else {}).items():
        shares[i] = presliding.share(after)
        yields[i] = presliding.share(presliding.sticking(z, qd[i]) / width)
    load = link_torques(arm, qd, tau, share if elements else None)
    expressions = [load, _each(load, qd), _each(load, share) * yields]
    load, slope, stiffness = ca.substitute(expressions, [share], [shares])
    bias = torque(arm, q, qd, ca.SX(arm.dof, 1))
    mass = composite_mass_matrix(arm, q)
    return PlantParts(mass, load, slope, ca.densify(stiffness), external - bias)


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


def held_plant(arm: Arm) -> Equation:
    """Acceleration, and rates of the elements z of presliding (six a joint that has it)."""
    q, qd, tau, push = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "tau", "tau_ext"))
    having = [joint for joint in arm.driven if presliding.numbers(joint.drive) is not None]
    z = ca.SX.sym("z", presliding.ELEMENTS * len(having))
    elements = presliding.Elements(z, ca.SX.zeros(arm.dof, 1))
    qdd = acceleration(arm, q, qd, tau, push, elements=elements)
    inputs = {"q": q, "qd": qd, "tau": tau, "tau_ext": push, "z": z}
    return Equation("held_plant", inputs, {"qdd": qdd, "zd": elements.rates(arm, qd)})


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
