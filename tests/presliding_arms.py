"""Arms whose joints have presliding friction."""

import dataclasses

import numpy as np

import armtwin as at

HOME = np.deg2rad([0, -80, 100, -110, -90, 0])


def with_presliding(distance):
    """Return the UR5e with drives whose joints slide fully after a displacement [rad]."""
    arm, joints = at.load("ur5e-energy"), []
    for joint in arm.joints:
        friction = joint.drive.friction
        numbers = {**dict(friction.parameters), "presliding": distance * joint.drive.gear}
        numbers["yield_exponent"] = 2.0
        friction = dataclasses.replace(friction, parameters=tuple(numbers.items()))
        drive = dataclasses.replace(joint.drive, friction=friction)
        joints.append(dataclasses.replace(joint, drive=drive))
    return arm.with_(joints=tuple(joints))
