"""Numbers of the drives: effort limits, torque per ampere, rotor inertia, friction parameters.

The one place for what a missing effort limit means and for ``gear * torque_constant``. The
equations of the drive chain (joint torque, motor torque, current, power) are in
``equations/drives``. A payload's mass and centre are given in the flange frame
(``model/payload.py``); the tool's offset does not move it.
"""

from __future__ import annotations

import numpy as np

from armtwin.errors import InputError
from armtwin.model.arm import Arm, Drive, Friction
from armtwin.spatial import Array

TYPICAL_EFFORT = 150.0
"""Effort limit taken for thresholds where the arm file gives none [Nm]: a UR10e's elbow."""

SMOOTHING = 1e-3
"""Speed over which friction changes sign where a file gives none [rad/s]."""
SPEEDS = ("smoothing", "stribeck_speed", "rise_speed")
"""Parameters that are speeds [rad/s]: positive, and the law is not linear in them."""

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
    extra = [name for name in given if name not in (*needed, "smoothing")]
    if missing or extra:
        raise InputError(
            f"{where}: friction model {friction.model!r} takes {', '.join(needed)} and optionally "
            f"smoothing; missing: {', '.join(missing) or 'none'}, "
            f"unknown: {', '.join(extra) or 'none'}"
        )
    for name, value in given.items():
        if value < 0 or (value == 0 and name in SPEEDS):
            raise InputError(f"{where}: friction {name} is {value:g}; it must be positive")


MODEL = "viscous-coulomb"
"""The only friction model with a counterpart in URDF and MJCF."""


def effort_limits(arm: Arm) -> Array:
    """Return the effort limits (dof,) [Nm | N]; inf, not limited, where the arm file gives none."""
    limits = [joint.limits.effort for joint in arm.driven]
    return np.array([np.inf if limit is None else limit for limit in limits])


def typical_efforts(arm: Arm) -> Array:
    """Return finite effort limits (dof,) [Nm | N] to scale thresholds and noise with.

    A missing limit is the median of the arm's others, or ``TYPICAL_EFFORT`` where it has none.
    """
    limits = effort_limits(arm)
    known = limits[np.isfinite(limits)]
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
