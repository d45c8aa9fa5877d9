"""From a tree of bodies, as URDF and MJCF give it, to a serial arm of screws.

All axes, poses and bodies are taken at q = 0, where the product of exponentials needs only the
axes and the pose of the tip.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from armtwin.errors import ArmFileError, InputError, ModelWarning
from armtwin.model.arm import Arm, Drive, Joint, Kind, Limits, Link, as_matrix
from armtwin.model.checks import check_arm
from armtwin.model.link import joined, seen_from, without_noise
from armtwin.spatial import Array, inverse, screw_frame

WEIGHTLESS = Link(mass=0.0, com=(0.0, 0.0, 0.0), inertia=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True)
class TreeJoint:
    """A joint in its body's frame: unit ``axis`` (3) through ``point`` (3)."""

    name: str
    kind: Kind
    axis: Array
    point: Array
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    offset: float = 0.0


@dataclass(frozen=True)
class TreeBody:
    """A body: its pose in the parent body at q = 0, its joints and its link."""

    name: str
    above: str | None
    pose: Array
    joints: tuple[TreeJoint, ...] = ()
    link: Link = field(default_factory=Link)


Bodies = Mapping[str, TreeBody]


def tips(bodies: Bodies) -> list[str]:
    """Return the bodies without children."""
    carrying = {body.above for body in bodies.values()}
    return [name for name in bodies if name not in carrying]


def path_to(bodies: Bodies, tip: str) -> list[TreeBody]:
    """Return the bodies from the root to ``tip``."""
    body: TreeBody | None = bodies[tip]
    found = []
    while body is not None:
        found.append(body)
        body = bodies[body.above] if body.above is not None else None
    return found[::-1]


def pose_at_zero(bodies: Bodies, name: str) -> Array:
    """Return the pose (4, 4) of a body in the root's frame at q = 0."""
    T = np.eye(4)
    for body in path_to(bodies, name):
        T = T @ body.pose
    return T


def serial_arm(
    name: str,
    bodies: Bodies,
    *,
    tip: str,
    end: Array,
    path: Path,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> Arm:
    """Return the arm of the joints between root and ``tip``, in convention ``"screws"``.

    Args:
        name: the arm's name.
        bodies: every body of the file.
        tip: the last body of the chain.
        end: pose of the tool in the tip.
        path: the file, for messages.
        gravity: acceleration of free fall in the root's frame [m/s2].

    Bodies between which the chain has no joint are merged: those fixed to a link add to its mass,
    those fixed to the root are ignored. Joints beside the chain are held at zero.
    """
    chain = path_to(bodies, tip)
    carried = _carried(bodies, {body.name for body in chain})
    joints = [joint for body in chain for joint in _joints(bodies, body, carried[body.name])]
    home = pose_at_zero(bodies, tip) @ end
    arm = Arm(
        name=name,
        convention="screws",
        joints=tuple(joints),
        home=as_matrix(home),
        gravity=gravity,
        sources=(("file", path.name),),
    )
    try:
        check_arm(arm)
    except InputError as error:
        raise ArmFileError(f"{path}: {error}") from error
    _warn_beside(bodies, {body.name for body in chain}, tip, path)
    return arm


def _carried(bodies: Bodies, chain: set[str]) -> dict[str, list[Link]]:
    """Return, per body of the chain, the links that move with it, in the root's frame at q = 0."""
    carried: dict[str, list[Link]] = {name: [] for name in chain}
    for name, body in bodies.items():
        path = path_to(bodies, name)
        holders = [b.name for b in path if b.name in chain and (b.joints or b.above is None)]
        carried[holders[-1]].append(seen_from(body.link, pose_at_zero(bodies, name)))
    return carried


def _joints(bodies: Bodies, body: TreeBody, links: list[Link]) -> list[Joint]:
    """Return a body's joints as rows; the last one moves the body itself, those before nothing."""
    T, rows = pose_at_zero(bodies, body.name), []
    for joint in body.joints:
        axis, point = T[:3, :3] @ joint.axis, T[:3, :3] @ joint.point + T[:3, 3]
        turning = np.concatenate([axis, np.cross(point, axis)])
        screw = turning if joint.kind == "revolute" else np.concatenate([np.zeros(3), axis])
        in_axis = inverse(screw_frame(without_noise(screw)))
        last = joint is body.joints[-1]
        row = Joint(
            name=joint.name,
            kind=joint.kind,
            screw=tuple(without_noise(screw).tolist()),
            offset=joint.offset,
            limits=joint.limits,
            link=seen_from(joined(links), in_axis) if last else WEIGHTLESS,
            drive=joint.drive,
        )
        rows.append(row)
    return rows


def _warn_beside(bodies: Bodies, chain: set[str], tip: str, path: Path) -> None:
    beside = [j.name for b in bodies.values() if b.name not in chain for j in b.joints]
    if beside:
        message = (
            f"{path}: joints beside the chain to {tip!r} are held at zero, their bodies' masses "
            f"added to the link that carries them: {', '.join(beside)}"
        )
        warnings.warn(message, ModelWarning, stacklevel=4)
