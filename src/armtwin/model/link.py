"""Fixed poses of the chain; mass, centre of mass and inertia of links in other frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from armtwin.model.arm import Arm, Joint, Link
from armtwin.spatial import (
    Array,
    cos_sin,
    from_parts,
    inverse,
    rotation_z,
    screw_frame,
    skew,
    twist_rows,
)

Pose = TypeVar("Pose")

ROUNDING = 1e-15
"""Entries of poses below this are rounding errors."""


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
    """Return the pose of a joint's motion at ``s``: rotation about and translation along z."""
    turn, shift = joint.turn_and_shift(s)
    return from_parts(rotation_z(*cos_sin(turn)), (0, 0, shift))


def fixed_poses(
    arm: Arm, twist: Callable[[Any, Any], Pose], constant: Callable[[Array], Pose]
) -> list[tuple[Pose, Pose]]:
    """Return for every row the fixed poses before and after its motion, in one form for all.

    * standard DH: ``before = I``, ``after = Tx(a) Rx(alpha)``
    * modified DH: ``before = Rx(alpha) Tx(a)``, ``after = I``
    * screws: ``before = F_{i-1}^-1 F_i``, ``after = I``, with F_i a frame whose z is screw i

    Args:
        arm: the arm; its DH numbers may be symbols.
        twist: makes ``Tx(a) Rx(alpha)`` of a and alpha.
        constant: makes a pose of a 4x4 array.
    """
    identity, last, poses = constant(np.eye(4)), np.eye(4), []
    for joint in arm.joints:
        if arm.convention == "screws":
            here = screw_frame(joint.screw)
            poses.append((constant(inverse(last) @ here), identity))
            last = here
        elif arm.convention == "standard-dh":
            poses.append((identity, twist(joint.a, joint.alpha)))
        else:
            poses.append((twist(joint.a, joint.alpha), identity))
    return poses


def rows(arm: Arm) -> list[Row]:
    """Return the rows of the chain with their fixed poses as arrays."""
    poses = fixed_poses(arm, twist, lambda T: T)
    return [Row(joint, *pair) for joint, pair in zip(arm.joints, poses, strict=True)]


def flange(arm: Arm) -> Array:
    """Return the fixed pose of the flange in the last link frame.

    The flange is the end of the chain, where ``arm.tool`` begins: the last frame of DH rows, the
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
    return _frames(arm, [0.0] * len(arm.joints))


def frames_at(arm: Arm, q: Array) -> Frames:
    """Return the frames in base at joint positions (dof,), without a compiled kernel."""
    given = iter(np.asarray(q, float).tolist())
    s = [0.0 if j.kind == "fixed" else j.direction * next(given) + j.offset for j in arm.joints]
    return _frames(arm, s)


def _frames(arm: Arm, s: list[float]) -> Frames:
    link, joints, links = np.array(arm.base), [], []
    for row, at in zip(rows(arm), s, strict=True):
        joints.append(link @ row.before @ motion(row.joint, at))
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
    """Return the array with entries below 1e-15 set to zero."""
    return np.where(np.abs(values) < ROUNDING, 0.0, values)


Inertia = tuple[float, float, float, float, float, float]


def inertia_matrix(inertia: Inertia) -> Array:
    """Return ``(xx, yy, zz, xy, xz, yz)`` as a symmetric matrix (3, 3)."""
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)


def inertia_entries(matrix: Array) -> Inertia:
    """Return the six entries ``(xx, yy, zz, xy, xz, yz)`` of a symmetric matrix."""
    rows, columns = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
    xx, yy, zz, xy, xz, yz = ((matrix + matrix.T) / 2)[rows, columns].tolist()
    return xx, yy, zz, xy, xz, yz


def inertial_parameters(link: Link) -> Array:
    r"""Return the ten inertial parameters (10,), in which joint torques are linear.

    .. math:: \pi = (m,\ m c,\ I_{xx}, I_{xy}, I_{xz}, I_{yy}, I_{yz}, I_{zz}), \quad
              I = I_c + m [c]_\times^T [c]_\times

    The inertia is about the link frame's origin. A link without a mass has zeros.
    """
    if link.mass is None:
        return np.zeros(10)
    c = np.array(link.com or (0, 0, 0), float)
    about_centre = inertia_matrix(link.inertia or (0, 0, 0, 0, 0, 0))
    about_origin = about_centre + link.mass * skew(c).T @ skew(c)
    return np.concatenate([[link.mass], link.mass * c, about_origin[np.triu_indices(3)]])


def expressed_in(link: Link, T: Array) -> Link:
    r"""Return a link expressed in the frame in which its own frame has the pose ``T`` (4, 4).

    .. math:: c' = R c + p, \quad I' = R I R^T
    """
    R, p = T[:3, :3], T[:3, 3]
    changes: dict[str, object] = {}
    if link.com is not None:
        changes["com"] = tuple(without_noise(R @ np.array(link.com) + p).tolist())
    if link.inertia is not None:
        changes["inertia"] = inertia_entries(R @ inertia_matrix(link.inertia) @ R.T)
    return dataclasses.replace(link, **changes)  # type: ignore[arg-type]


def joined(links: list[Link]) -> Link:
    r"""Return several links, given in one frame, as one rigid body; links without mass are ignored.

    .. math:: m = \sum m_k, \quad c = \frac{1}{m} \sum m_k c_k, \quad
              I = \sum I_k + m_k [c_k - c]_\times^T [c_k - c]_\times

    If all masses are zero, the centre of mass is at the frame's origin.
    """
    parts = [link for link in links if link.mass is not None]
    if len(parts) <= 1:
        return parts[0] if parts else Link()
    masses = np.array([part.mass for part in parts], float)
    centres = np.array([part.com or (0, 0, 0) for part in parts], float)
    m = float(masses.sum())
    c = masses @ centres / m if m > 0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for part, mass, r in zip(parts, masses, centres - c, strict=True):
        inertia += inertia_matrix(part.inertia or (0, 0, 0, 0, 0, 0)) + mass * skew(r).T @ skew(r)
    x, y, z = c.tolist()
    return Link(mass=m, com=(x, y, z), inertia=inertia_entries(inertia))
