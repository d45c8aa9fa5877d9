"""Payload of an arm and mounting of its base.

A payload is a mass and a centre of gravity in the flange frame, as in a UR controller's
``set_payload``; the tool (``arm.tool``) does not shift it. ``payload_link`` is the only place that
positions a payload, ``flange_centre`` is its inverse.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.model.arm import Arm, Link
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.checks import check_arm
from armtwin.model.link import expressed_in, flange, inertia_matrix, joined
from armtwin.spatial import Array, as_numbers, inverse, rotation_from_rpy

NO_INERTIA = 1e-12
"""Principal moments of a payload above minus this are not negative but rounded [kg m2]."""


def with_payload(
    arm: ArmLike, mass: float, *, com: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None
) -> Arm:
    """Return the arm carrying a payload, which becomes part of its last link.

    Args:
        arm: the bare arm, its catalogue name or its file.
        mass: [kg].
        com: centre of gravity in the flange frame (3,) [m], as in a UR controller's
            ``set_payload``, independent of the arm's tool.
        inertia: ``(xx, yy, zz, xy, xz, yz)`` about that centre in flange axes [kg m2]; None: a
            point mass.

    Raises:
        InputError: numbers that are not finite, or no rigid body's.
    """
    arm = as_arm(arm)
    payload = payload_link(arm, mass, com=com, inertia=inertia)
    last = arm.joints[-1]
    link = dataclasses.replace(joined([last.link, payload]), radius=last.link.radius)
    loaded = arm.with_(joints=(*arm.joints[:-1], dataclasses.replace(last, link=link)))
    check_arm(loaded)
    return loaded


def payload_link(
    arm: Arm, mass: float, *, com: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None
) -> Link:
    """Return a payload in the arm's last link frame; arguments as ``with_payload``.

    Args:
        arm: the arm, for its flange.
        mass: [kg].
        com: centre of mass in the flange frame (3,) [m].
        inertia: about the centre of mass, in flange axes: xx, yy, zz, xy, xz, yz [kg m2]; None for
            a point mass.
    """
    centre = as_numbers(com, "com")
    moments = np.zeros(6) if inertia is None else as_numbers(inertia, "inertia")
    sizes = centre.shape == (3,) and moments.shape == (6,)
    if not sizes or not np.isfinite([mass, *centre, *moments]).all():
        raise InputError(
            "a payload is a mass, a centre of 3 numbers and 6 moments of inertia, all finite; got "
            f"mass={mass!r}, com={com!r}, inertia={inertia!r}"
        )
    if mass < 0:
        raise InputError(f"the payload's mass is {mass:g} kg; a mass cannot be negative")
    if np.linalg.eigvalsh(inertia_matrix(tuple(moments.tolist())))[0] < -NO_INERTIA:
        raise InputError(f"inertia={inertia!r} has a negative principal moment: no rigid body")
    at_flange = Link(mass=mass, com=tuple(centre.tolist()), inertia=tuple(moments.tolist()))
    return expressed_in(at_flange, flange(arm))


def flange_centre(arm: Arm, mass: float, moment: Array) -> tuple[Array, Array]:
    r"""Return a payload's centre of gravity in the flange frame (3,) [m], and its derivatives.

    .. math:: c = R^T (h / m - p), \qquad
              \mathrm{d}c = R^T (\mathrm{d}h / m - h\, \mathrm{d}m / m^2)

    Args:
        arm: the arm; ``R`` and ``p`` are its flange's pose in the last link frame.
        mass: m [kg].
        moment: first moment h = m c about the last link frame's origin (3,) [kg m].

    Returns:
        The centre, and its derivatives by m and h, (3, 4).
    """
    T = inverse(flange(arm))
    centre = T[:3, :3] @ (moment / mass) + T[:3, 3]
    slope = T[:3, :3] @ np.column_stack([-moment / mass**2, np.eye(3) / mass])
    return centre, slope


def with_mounting(arm: ArmLike, *, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> Arm:
    """Return the arm on a wall, ceiling or slope: its base is rotated, gravity is not.

    Args:
        arm: the arm, its catalogue name or its file.
        roll: rotation of the base about the fixed x axis [rad].
        pitch: then about the fixed y axis [rad].
        yaw: then about the fixed z axis [rad].
    """
    arm = as_arm(arm)
    down = np.array([0.0, 0.0, -float(np.linalg.norm(arm.gravity))])
    return arm.with_(gravity=tuple((rotation_from_rpy(roll, pitch, yaw).T @ down).tolist()))
