"""Small tilts between parallel axes, which DH rows alone cannot represent.

Where two consecutive axes are parallel, a small rotation about the common y axis cannot be written
as a change of a, alpha, d and theta (d would diverge). Two fixed rows represent it exactly:

    Ry(beta) = Rz(pi/2) Rx(beta) Rz(-pi/2)

as in the model of Hayati and Mirmirani (1985).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.model.arm import Arm, Joint, Link

PARALLEL_SINE = 0.05
"""Axes whose angle has a smaller sine count as parallel; drawn arms have 0 or 1."""
FIRST, SECOND = "_tilt", "_untilt"
WEIGHTLESS = Link(mass=0.0, com=(0.0, 0.0, 0.0), inertia=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def is_tilt(arm: Arm, joint: Joint) -> bool:
    """Return whether a row's alpha is a tilt: the first fixed row's, in modified DH the second's.

    A modified row twists before it turns: ``Rx(alpha) Tx(a) Rz(theta) Tz(d)``.
    """
    suffix = FIRST if arm.convention == "standard-dh" else SECOND
    return joint.kind == "fixed" and joint.name.endswith(suffix)


def is_plain(joint: Joint) -> bool:
    """Return whether a row belongs to the arm itself, not to a tilt."""
    return joint.kind != "fixed" or not joint.name.endswith((FIRST, SECOND))


def with_tilts(arm: Arm) -> Arm:
    """Return the arm with two tilt rows after every row that leads to a parallel axis."""
    if not all(is_plain(joint) for joint in arm.joints):
        return arm
    rows: list[Joint] = []
    for joint, following in zip(arm.joints, [*arm.joints[1:], None], strict=True):
        rows.append(joint)
        if following is not None and _leads_to_parallel(arm, joint, following):
            rows += _tilt_rows(joint)
    return dataclasses.replace(arm, joints=tuple(rows))


def without_idle_tilts(arm: Arm) -> Arm:
    """Return the arm without the tilts that are zero."""
    tilts = [joint for joint in arm.joints if is_tilt(arm, joint)]
    idle = {joint.name.rsplit("_", 1)[0] for joint in tilts if joint.alpha == 0}
    kept = [j for j in arm.joints if is_plain(j) or j.name.rsplit("_", 1)[0] not in idle]
    return dataclasses.replace(arm, joints=tuple(kept))


def _leads_to_parallel(arm: Arm, joint: Joint, following: Joint) -> bool:
    """Return whether both joints are revolute with a twist near zero between them."""
    if joint.kind != "revolute" or following.kind != "revolute":
        return False
    twist = joint.alpha if arm.convention == "standard-dh" else following.alpha
    return bool(abs(np.sin(twist)) < PARALLEL_SINE)


def _tilt_rows(joint: Joint) -> list[Joint]:
    link = Link() if joint.link.mass is None else WEIGHTLESS
    quarter = float(np.pi / 2)
    return [
        Joint(joint.name + FIRST, kind="fixed", theta=quarter, link=link),
        Joint(joint.name + SECOND, kind="fixed", theta=-quarter, link=link),
    ]
