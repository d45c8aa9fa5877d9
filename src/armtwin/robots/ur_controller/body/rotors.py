"""Rotors of joints whose arm file gives none.

Behind a gear a rotor's inertia counts with the square of the ratio, and the last links of an arm
are much lighter than that: the flange of a UR10e has 3.4e-4 kg m2 about its axis, its drive some
tenths. Without rotors position control is as soft as the links are light, and a push flings the
joint away.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.dynamics.rigid_body import mass_matrix
from armtwin.model.arm import Arm, Drive
from armtwin.model.drive import armature, typical_efforts
from armtwin.spatial import Array

LIGHT = 0.25
"""Links with less than this share of a rotor's inertia are light."""
ROTOR = 7.5e-3
"""Rotor inertia at the joint per torque limit [kg m2/Nm]: the least of the six drives of a UR5e in
the catalogue's ``ur5e-energy``, 0.0075 to 0.0125."""


def with_rotors(arm: Arm, q: Array) -> Arm:
    """Return the arm with a usual rotor at joints whose links are light beside it.

    Rotors that the arm file gives stay as they are, and so do joints with heavier links.

    Args:
        arm: the arm, with masses.
        q: where the links are looked at (dof,) [rad | m].
    """
    links = np.diag(mass_matrix(arm, q, ignore_limits=True))
    usual = ROTOR * typical_efforts(arm)
    joints, k = list(arm.joints), 0
    for place, joint in enumerate(arm.joints):
        if joint.kind == "fixed":
            continue
        if joint.kind == "revolute" and not armature(joint.drive) and links[k] < LIGHT * usual[k]:
            drive = joint.drive or Drive()
            inertia = float(usual[k]) / drive.gear**2
            joints[place] = dataclasses.replace(
                joint, drive=dataclasses.replace(drive, motor_inertia=inertia)
            )
        k += 1
    return arm if joints == list(arm.joints) else arm.with_(joints=tuple(joints))
