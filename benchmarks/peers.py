"""The same arm in Pinocchio and roboticstoolbox, from the same DH numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.model.arm import Arm


def pinocchio_model(arm: Arm) -> Any:
    """Return a Pinocchio model of a standard-DH arm with a frame ``tool``; None if not installed.

    Joint i of Pinocchio turns about z and is followed by Tz(d_i) Tx(a_i) Rx(alpha_i).
    """
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model, parent, place = pin.Model(), 0, pin.SE3.Identity()
    for joint in arm.joints:
        parent = model.addJoint(parent, pin.JointModelRZ(), place, joint.name)
        shift = pin.SE3(np.eye(3), np.array([joint.a, 0.0, joint.d]))
        place = shift * pin.SE3(pin.utils.rotate("x", joint.alpha), np.zeros(3))
    model.addFrame(pin.Frame("tool", parent, 0, place, pin.FrameType.OP_FRAME))
    return model


def toolbox_robot(arm: Arm) -> Any:
    """Return the arm as a roboticstoolbox DHRobot; None if that is not installed."""
    try:
        import roboticstoolbox as rtb
    except ImportError:
        return None
    return rtb.DHRobot([rtb.RevoluteDH(d=j.d, a=j.a, alpha=j.alpha) for j in arm.joints])
