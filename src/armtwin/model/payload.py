"""Bodies fixed to an arm: a payload at the tool, and how the base is mounted."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.model.arm import Arm, Link
from armtwin.model.bodies import joined, seen_from
from armtwin.model.checks import check_arm
from armtwin.model.frames import tail
from armtwin.spatial import rotation_from_rpy


def with_payload(
    arm: Arm, mass: float, *, com: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None
) -> Arm:
    """Return the arm carrying a body at its tool.

    Args:
        arm: the bare arm.
        mass: [kg].
        com: centre of mass in the tool frame (3,) [m].
        inertia: ``(xx, yy, zz, xy, xz, yz)`` about that centre in tool axes [kg m2]; None: a point.
    """
    centre = np.asarray(com, float)
    moments = np.zeros(6) if inertia is None else np.asarray(inertia, float)
    sizes = centre.shape == (3,) and moments.shape == (6,)
    if not sizes or not np.isfinite([mass, *centre, *moments]).all():
        raise InputError(
            "a payload is a mass, a centre of 3 numbers and 6 moments of inertia, all finite; got "
            f"mass={mass!r}, com={com!r}, inertia={inertia!r}"
        )
    if mass < 0:
        raise InputError(f"the payload's mass is {mass:g} kg; a mass cannot be negative")
    carried = Link(mass=mass, com=tuple(centre.tolist()), inertia=tuple(moments.tolist()))
    last = arm.joints[-1]
    body = dataclasses.replace(
        joined([last.link, seen_from(carried, tail(arm))]), radius=last.link.radius
    )
    loaded = arm.with_(joints=(*arm.joints[:-1], dataclasses.replace(last, link=body)))
    check_arm(loaded)
    return loaded


def mounted(arm: Arm, roll: float, pitch: float, yaw: float = 0.0) -> Arm:
    """Return the arm with its base turned against the floor (wall, ceiling, slope) [rad]."""
    down = np.array([0.0, 0.0, -float(np.linalg.norm(arm.gravity))])
    return arm.with_(gravity=tuple((rotation_from_rpy(roll, pitch, yaw).T @ down).tolist()))
