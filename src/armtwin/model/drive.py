"""Numbers of the drives: effort limits, torque per ampere, rotor inertia, friction parameters.

The one place for what a missing effort limit means and for ``gear * torque_constant``. The
equations of the drive chain (joint torque, motor torque, current, power) are in
``equations/drives``. A payload's mass and centre are given in the flange frame
(``model/payload.py``); the tool's offset does not move it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.model.arm import Arm, Drive, Friction
from armtwin.spatial import Array

TYPICAL_EFFORT = 150.0
"""Effort limit taken for thresholds where the arm file gives none [Nm]: a UR10e's elbow."""

SMOOTHING = 1e-3
"""Speed over which friction changes sign where a file gives none [rad/s]."""
STANDING_SPEED = 0.01
"""Speed at which dry friction is read where a joint is slower [rad/s]."""
MOVING = ("viscous", "rise", "rise_speed")
"""Parameters of friction that depends on speed; the others are of dry friction."""
DRY = ("coulomb", "coulomb_direct", "coulomb_reverse", "static")
"""Parameters that are levels of dry friction."""
VISCOUS_SCALE = (0.9, 0.9, 0.8, 0.9, 0.9, 0.9)
COULOMB_SCALE = (0.8, 0.8, 0.7, 0.8, 0.8, 0.8)
"""Shares of the friction that a UR controller compensates in direct torque control, by default
(UR script manual of PolyScope 5.25.1, ``direct_torque``)."""
SPEEDS = ("smoothing", "stribeck_speed", "rise_speed")
"""Parameters that are speeds [rad/s]: positive, and the law is not linear in them."""

PRESLIDING = ("presliding", "yield_exponent")
"""Optional parameters of every law (``equations/drives/presliding``): displacement at which the
last element slips [rad on the law's side], and how the elements' displacements are spread."""

PARAMETERS: dict[str, tuple[str, ...]] = {
    "viscous-coulomb": ("viscous", "coulomb"),
    "power-flow": ("viscous", "coulomb_direct", "coulomb_reverse"),
    "stribeck": ("viscous", "coulomb", "static", "stribeck_speed"),
    "load-dependent": ("viscous", "coulomb", "load"),
    "gear": ("viscous", "coulomb", "rise", "rise_speed", "load"),
}


def check_friction(friction: Friction, where: str) -> None:
    """Raise InputError for an unknown model, or a missing, unknown or negative parameter."""
    if friction.model not in PARAMETERS:
        raise InputError(
            f"{where}: unknown friction model {friction.model!r}; known: {', '.join(PARAMETERS)}"
        )
    needed, given = PARAMETERS[friction.model], dict(friction.parameters)
    missing = [name for name in needed if name not in given]
    extra = [name for name in given if name not in (*needed, "smoothing", *PRESLIDING)]
    if missing or extra:
        raise InputError(
            f"{where}: friction model {friction.model!r} takes {', '.join(needed)} and optionally "
            f"smoothing, {', '.join(PRESLIDING)}; missing: {', '.join(missing) or 'none'}, "
            f"unknown: {', '.join(extra) or 'none'}"
        )
    for name, value in given.items():
        if value < 0 or (value == 0 and name in (*SPEEDS, *PRESLIDING)):
            raise InputError(f"{where}: friction {name} is {value:g}; it must be positive")


MODEL = "viscous-coulomb"
"""The only friction model with a counterpart in URDF and MJCF."""


def effort_limits(arm: Arm, missing: ArrayLike = np.inf) -> Array:
    """Return the effort limits (dof,) [Nm | N]; inf, not limited, where the arm file gives none.

    ``missing``, one number or (dof,), replaces inf where measured efforts stand in for the limits.
    """
    limits = [joint.limits.effort for joint in arm.driven]
    given = np.array([np.nan if limit is None else limit for limit in limits], float)
    return np.where(np.isnan(given), missing, given)


def typical_efforts(arm: Arm) -> Array:
    """Return finite effort limits (dof,) [Nm | N] to scale thresholds and noise with.

    A missing limit is the median of the arm's others, or ``TYPICAL_EFFORT`` where it has none.
    """
    limits = effort_limits(arm)
    known = limits[np.isfinite(limits)]
    if len(known) == len(limits):
        return limits
    return np.where(np.isfinite(limits), limits, np.median(known) if len(known) else TYPICAL_EFFORT)


def torque_per_ampere(arm: Arm) -> Array:
    """Return ``gear * torque_constant`` (dof,) [Nm/A at the joint]; NaN where it is unknown."""
    drives = [joint.drive or Drive() for joint in arm.driven]
    return np.array(
        [d.gear * (np.nan if d.torque_constant is None else d.torque_constant) for d in drives]
    )


def armature(drive: Drive | None) -> float:
    """Return the rotor inertia reflected to the joint, ``(J_motor + J_reducer) gear^2`` [kg m2]."""
    if drive is None:
        return 0.0
    return (drive.motor_inertia + drive.reducer_inertia) * drive.gear**2


def dry_friction(arm: Arm) -> Array:
    """Return the largest level of dry friction at the joints (dof,) [Nm | N]; 0 where unknown."""
    levels = []
    for drive in (joint.drive for joint in arm.driven):
        friction = drive.friction if drive else None
        numbers = dict(friction.parameters) if friction else {}
        gear = abs(drive.gear) if drive and friction and friction.side == "motor" else 1.0
        levels.append(gear * max((numbers[name] for name in DRY if name in numbers), default=0.0))
    return np.array(levels)


def viscous_and_coulomb(drive: Drive | None) -> tuple[float, float] | None:
    """Return viscous [Nms/rad] and Coulomb [Nm] friction at the joint, or None where unknown.

    Motor-side parameters are reflected by the gear ratio: ``F_v gear^2`` and ``F_c gear``. Only the
    viscous-coulomb model has a counterpart in URDF and MJCF.
    """
    friction = drive.friction if drive else None
    if drive is None or friction is None or friction.model != MODEL:
        return None
    numbers = dict(friction.parameters)
    gear = abs(drive.gear) if friction.side == "motor" else 1.0
    return numbers.get("viscous", 0.0) * gear**2, numbers.get("coulomb", 0.0) * gear


def viscous_slope(drive: Drive) -> float:
    """Return the viscous friction of any law at the joint [Nms/rad]; 0 without friction."""
    if drive.friction is None:
        return 0.0
    gear = drive.gear if drive.friction.side == "motor" else 1.0
    return dict(drive.friction.parameters).get("viscous", 0.0) * gear**2


def torque_scales(arm: Arm, certain: dict[str, float] | None = None) -> tuple[Array, Array]:
    r"""Return ``viscous_scale`` and ``coulomb_scale`` for direct torque control of a UR arm (dof,).

    A share of the friction that is compensated must leave some of it, or the arm drifts and
    vibrates. UR's defaults are reduced by the part of the friction that is certain:

    .. math:: s_v = s_{v0} \min\left(1, \frac{low_v}{F_v}\right), \qquad
              s_c = s_{c0} \min\left(1, \frac{low_c}{F_c}\right) \frac{F_{c,least}}{F_{c,most}}

    ``low`` is the lower end of an estimate's interval. ``F_c`` is least and most by the direction
    of power flow (power-flow), and sliding and sticking (stribeck); equal in the other laws.

    Args:
        arm: the arm.
        certain: ``low / F`` by parameter and joint, as in ``viscous1``; 1 where not given.

    Returns:
        Both scales; NaN for joints without friction.
    """
    known, found = certain or {}, np.full((2, arm.dof), np.nan)
    for k, joint in enumerate(arm.driven):
        if joint.drive is None or joint.drive.friction is None:
            continue
        numbers, like = dict(joint.drive.friction.parameters), min(k, len(VISCOUS_SCALE) - 1)
        sure = {name: min(max(known.get(f"{name}{k + 1}", 1.0), 0.0), 1.0) for name in numbers}
        levels = {name: value for name, value in numbers.items() if name in DRY}
        most = max(levels.values(), default=0.0)
        share = min(levels.values()) / most if most > 0 else 1.0
        found[0, k] = VISCOUS_SCALE[like] * sure.get("viscous", 1.0)
        found[1, k] = COULOMB_SCALE[like] * share * min((sure[n] for n in levels), default=1.0)
    return found[0], found[1]


def joint_side_drive(viscous: float, coulomb: float, inertia: float = 0.0) -> Drive | None:
    """Return a direct drive (gear 1) with these parameters, or None if all are zero.

    Args:
        viscous: viscous friction at the joint [Nms/rad | Ns/m].
        coulomb: Coulomb friction at the joint [Nm | N].
        inertia: rotor inertia at the joint [kg m2 | kg].
    """
    if not (viscous or coulomb or inertia):
        return None
    friction = None
    if viscous or coulomb:
        friction = Friction(MODEL, (("coulomb", coulomb), ("viscous", viscous)), "joint")
    return Drive(motor_inertia=inertia, friction=friction)
