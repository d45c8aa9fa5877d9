"""Centre lines of an arm's links: points on its joint axes at q = 0, in any convention.

A link leaves its axis where the common normal to the next axis begins. Parallel axes have no unique
normal: the link stays on its level along the axes, and the level changes where they end. On many
arms the links between parallel axes lie beside each other; published offsets say how far.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.model.arm import Arm
from armtwin.model.link import Frames, frames_at
from armtwin.spatial import Array

PARALLEL = 0.05
"""Axes below this angle count as parallel: calibrated ones are never exactly so [rad]."""
TUBE_OFFSETS: dict[str, tuple[float, float]] = {
    "ur3": (0.1198, 0.0273),
    "ur5": (0.13585, 0.01615),
    "ur10": (0.220941, 0.049041),
    "ur3e": (0.120, 0.027),
    "ur5e": (0.138, 0.007),
    "ur10e": (0.1762, 0.0393),
    "ur16e": (0.1762, 0.0393),
    "ur20": (0.260, 0.043),
    "ur30": (0.260, 0.043),
}
"""Upper arm and forearm of UR arms beside the shoulder along joint 2 [m]: shoulder and elbow offset
in the public ur_description packages (BSD-3-Clause) of Universal Robots and ROS-Industrial."""


@dataclass(frozen=True, eq=False)
class LinkPath:
    """Centre line of one row's link, in base at q = 0.

    Attributes:
        z: direction of the joint axis (3,).
        enter: where the link before meets the axis (3,) [m].
        leave: where the link leaves the axis (3,) [m].
        end: where it meets the next axis, or the tool (3,) [m].
        prismatic: whether the joint slides.
    """

    z: Array
    enter: Array
    leave: Array
    end: Array
    prismatic: bool


def link_paths(arm: Arm) -> list[LinkPath | None]:
    """Return how the links run; None for fixed rows."""
    frames = frames_at(arm, np.zeros(arm.dof))
    moving = [n for n, joint in enumerate(arm.joints) if joint.kind != "fixed"]
    enters, leaves = _feet(arm, frames, moving)
    levels = _levels(arm, frames, moving, enters, leaves)
    found: list[LinkPath | None] = [None] * len(arm.joints)
    came = enters[0]
    for place, row in enumerate(moving):
        z = frames.joints[row][:3, 2]
        last = place == len(moving) - 1
        level = levels[place]
        leave = leaves[place] if level is None else enters[place] + level * z
        end = frames.tool[:3, 3] if last else enters[place + 1]
        if level is not None and not last:
            end = end + ((leave - end) @ z) * z
        found[row] = LinkPath(z, came, leave, end, arm.joints[row].kind == "prismatic")
        came = end
    return found


def _feet(arm: Arm, frames: Frames, moving: list[int]) -> tuple[list[Array], list[Array]]:
    """Return where each axis is entered and left, by common normals."""
    z = [frames.joints[row][:3, 2] for row in moving]
    p = [frames.joints[row][:3, 3] for row in moving]
    slides = [arm.joints[row].kind == "prismatic" for row in moving]
    enters = [p[0] if slides[0] else _foot(np.array(arm.base)[:3, 3], p[0], z[0])]
    leaves = []
    for n in range(len(moving) - 1):
        beside = slides[n] or slides[n + 1]
        if beside or np.linalg.norm(np.cross(z[n], z[n + 1])) < PARALLEL:
            leaves.append(enters[n])
            enters.append(p[n + 1] if slides[n + 1] else _foot(leaves[n], p[n + 1], z[n + 1]))
        else:
            a, b = _normal(p[n], z[n], p[n + 1], z[n + 1])
            leaves.append(a)
            enters.append(b)
    leaves.append(_foot(frames.tool[:3, 3], enters[-1], z[-1]))
    return enters, leaves


def _foot(point: Array, p: Array, z: Array) -> Array:
    """Return the point of the line through ``p`` along ``z`` nearest to a point."""
    return np.asarray(p + ((point - p) @ z) * z)


def _normal(p: Array, u: Array, r: Array, v: Array) -> tuple[Array, Array]:
    """Return the ends of the common normal of two lines.

    Args:
        p: point of the first line.
        u: its direction.
        r: point of the second line.
        v: its direction.
    """
    c, w = u @ v, p - r
    along = ((c * (v @ w)) - (u @ w)) / (1 - c * c)
    across = ((v @ w) - c * (u @ w)) / (1 - c * c)
    return p + along * u, r + across * v


def _levels(
    arm: Arm, frames: Frames, moving: list[int], enters: list[Array], leaves: list[Array]
) -> list[float | None]:
    """Return the levels of links between parallel axes, from where their axis is entered [m].

    Without published offsets, the first of such links lies on the level where the last of the axes
    is left, and the next on the level where the first is entered, in turn.

    Args:
        arm: the arm.
        frames: its frames at q = 0.
        moving: rows that move.
        enters: where each axis is entered.
        leaves: where each axis is left.
    """
    found: list[float | None] = [None] * len(moving)
    published = TUBE_OFFSETS.get(arm.name.split("-")[0], ())
    z = [frames.joints[row][:3, 2] for row in moving]
    n = 0
    while n < len(moving) - 1:
        end = n
        while end + 1 < len(moving) and np.linalg.norm(np.cross(z[end], z[end + 1])) < PARALLEL:
            end += 1
        whole = float((leaves[end] - enters[n]) @ z[n])
        for k in range(n, end):
            level = published[k - n] if len(published) == end - n else whole * ((k - n + 1) % 2)
            found[k] = level * float(np.sign(z[n] @ z[k])) if not published else level
        n = max(end, n + 1)
    return found
