"""A recording to look at: a moving arm with torques, currents and a twin that is slightly off."""

import dataclasses

import numpy as np

import armtwin as at
from armtwin.dynamics.drives import friction

ARM = "ur5e-energy"
ROWS, RATE = 700, 100.0


def recorded(rows=ROWS, name="run.csv"):
    """Return a recording of an arm whose second link is 2 mm longer than the catalogue says."""
    arm = at.load(ARM)
    time = np.arange(rows) / RATE
    phase = np.arange(6)
    q = np.array([0.2, -1.3, 1.4, -1.2, -1.4, 0.3]) + 0.3 * np.sin(1.1 * time[:, None] + phase)
    qd = 0.33 * np.cos(1.1 * time[:, None] + phase)
    qdd = -0.363 * np.sin(1.1 * time[:, None] + phase)
    real = longer(arm, 0.002)
    tau = at.inverse_dynamics(real, q, qd, qdd, ignore_limits=True)
    where = at.tool_coordinates(real, q, ignore_limits=True)
    data = {
        "q": q, "qd": qd, "qdd": qdd, "tau": tau + friction(real, qd, tau),
        "current": at.motor_current(real, qd, tau),
        "position": where.position, "quaternion": where.quaternion,
    }  # fmt: skip
    return at.Recording.of(time, data, arm=ARM, origin=name)


def longer(arm, by):
    """Return an arm whose longest link is longer by some metres."""
    row = int(np.argmax([abs(joint.a) for joint in arm.joints]))
    joint = arm.joints[row]
    changed = dataclasses.replace(joint, a=joint.a + np.copysign(by, joint.a))
    return arm.with_(joints=(*arm.joints[:row], changed, *arm.joints[row + 1 :]))
