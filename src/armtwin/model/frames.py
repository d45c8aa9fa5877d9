"""Where the joints and links of an arm stand, as numbers.

The common form of ``equations.chain`` with plain matrices, for what is decided when a model is
converted, read or written: ``T_{i-1,i} = before_i . motion_i(s_i) . after_i``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.model.arm import Arm, Joint
from armtwin.spatial import (
    Array,
    cos_sin,
    from_parts,
    inverse,
    rotation_z,
    screw_frame,
    twist_rows,
)

ROUNDING = 1e-15


@dataclass(frozen=True)
class Row:
    """One row of the chain: the joint with the fixed poses before and after its motion, 4x4."""

    joint: Joint
    before: Array
    after: Array


@dataclass(frozen=True)
class Frames:
    """Poses in base, 4x4 each: the joints' (z is the axis), the links' and the tool's."""

    joints: list[Array]
    links: list[Array]
    tool: Array


def twist(a: float, alpha: float) -> Array:
    """Return ``Tx(a) Rx(alpha)``."""
    return np.array(twist_rows(a, *cos_sin(alpha)), float)


def motion(joint: Joint, s: float) -> Array:
    """Return the turn about and shift along z of a joint at ``s``; a fixed row does not move."""
    turn, shift = joint.turn_and_shift(s)
    return from_parts(rotation_z(*cos_sin(turn)), (0, 0, shift))


def rows(arm: Arm) -> list[Row]:
    """Return the rows of the chain in the common form."""
    identity, last, result = np.eye(4), np.eye(4), []
    for joint in arm.joints:
        if arm.convention == "screws":
            here = screw_frame(joint.screw)
            result.append(Row(joint, inverse(last) @ here, identity))
            last = here
        elif arm.convention == "standard-dh":
            result.append(Row(joint, identity, twist(joint.a, joint.alpha)))
        else:
            result.append(Row(joint, twist(joint.a, joint.alpha), identity))
    return result


def flange(arm: Arm) -> Array:
    """Return the fixed pose of the flange in the last link frame.

    The flange is where the chain ends and ``arm.tool`` begins: the last frame of DH rows, the
    frame of ``arm.home`` with screws.
    """
    if arm.convention != "screws":
        return np.eye(4)
    return inverse(screw_frame(arm.joints[-1].screw)) @ np.array(arm.home)


def tail(arm: Arm) -> Array:
    """Return the fixed pose from the last link frame to the tool."""
    return flange(arm) @ np.array(arm.tool)


def frames_at_zero(arm: Arm) -> Frames:
    """Return the frames in base where every joint variable ``s`` is zero."""
    link, joints, links = np.array(arm.base), [], []
    for row in rows(arm):
        joints.append(link @ row.before @ motion(row.joint, 0.0))
        link = joints[-1] @ row.after
        links.append(link)
    return Frames(joints, links, link @ tail(arm))


def joint_steps(arm: Arm) -> list[Array]:
    """Return the pose of each joint frame in the joint frame before (the first: base) at q = 0."""
    steps, last = [], np.array(arm.base)
    for row in rows(arm):
        s = 0.0 if row.joint.kind == "fixed" else row.joint.offset
        steps.append(last @ row.before @ motion(row.joint, s))
        last = row.after
    return steps


def tool_step(arm: Arm) -> Array:
    """Return the pose of the tool in the last joint frame."""
    return rows(arm)[-1].after @ tail(arm)


def without_noise(values: Array) -> Array:
    """Return the array with what is only rounding, below 1e-15, as exact zeros."""
    return np.where(np.abs(values) < ROUNDING, 0.0, values)
