"""The tree of bodies and joints that URDF and MJCF describe.

All axes, poses and bodies are taken at q = 0, where the product of exponentials needs only the
axes and the pose of the tip.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from armtwin.errors import ArmFileError
from armtwin.model.arm import Arm, Drive, Kind, Limits, Link
from armtwin.model.geometry import LinkShape
from armtwin.spatial import Array, from_parts


@dataclass(frozen=True)
class Coupling:
    """A joint that follows another: ``s = sum(coefficients[k] * s_leader**k)``.

    Without a leader the joint is constant, at the first coefficient.
    """

    leader: str | None
    coefficients: tuple[float, ...]

    def at(self, leader: float) -> float:
        """Return the joint's variable where its leader's is ``leader``."""
        return float(sum(c * leader**k for k, c in enumerate(self.coefficients)))

    def __str__(self) -> str:
        powers = ("", f" {self.leader}", *(f" {self.leader}^{k}" for k in range(2, 9)))
        terms = [f"{c:g}{x}" for c, x in zip(self.coefficients, powers, strict=False) if c]
        return " + ".join(terms) or "0"


@dataclass(frozen=True)
class TreeJoint:
    """A joint in its body's frame: unit ``axis`` (3) through ``point`` (3).

    Attributes:
        coupling: the joint that it follows, if any.
        notes: what to warn of when the joint is part of the chain.
        fault: why it cannot be part of a chain, if so; beside the chain it is held.
    """

    name: str
    kind: Kind
    axis: Array
    point: Array
    limits: Limits = field(default_factory=Limits)
    drive: Drive | None = None
    offset: float = 0.0
    coupling: Coupling | None = None
    notes: tuple[str, ...] = ()
    fault: ArmFileError | None = None

    def moved(self, s: float) -> Array:
        """Return the pose (4, 4) that the joint gives its body at the joint variable ``s``."""
        from scipy.spatial.transform import Rotation

        if self.kind != "revolute" or not s:
            return from_parts(np.eye(3), self.axis * s)
        R = Rotation.from_rotvec(self.axis * s).as_matrix()
        return from_parts(R, self.point - R @ self.point)


@dataclass(frozen=True)
class TreeBody:
    """A body: its pose in the parent body at q = 0, its joints, its link and its shapes."""

    name: str
    above: str | None
    pose: Array
    joints: tuple[TreeJoint, ...] = ()
    link: Link = field(default_factory=Link)
    shapes: tuple[LinkShape, ...] = ()


Bodies = Mapping[str, TreeBody]


@dataclass(frozen=True)
class Tree:
    """A robot as its file describes it.

    Attributes:
        name: the robot's name.
        path: the file, for messages.
        bodies: every body.
        frames: named frames on bodies: the body and the frame's pose in it.
        gravity: acceleration of free fall in the root's frame [m/s2].
        unread: elements of the file that an arm has no place for.
        notes: what to warn of, whatever chain is chosen.
    """

    name: str
    path: Path
    bodies: Bodies
    frames: Mapping[str, tuple[str, Array]] = field(default_factory=dict)
    gravity: tuple[float, float, float] = Arm.gravity
    unread: str = ""
    notes: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        """The body that hangs on no other."""
        return next(name for name, body in self.bodies.items() if body.above is None)

    def place(self, name: str) -> tuple[str, Array]:
        """Return the body that a frame or body of this name sits on, and its pose there."""
        if name in self.frames:
            return self.frames[name]
        if name not in self.bodies:
            known = ", ".join([*filter(None, self.frames), *self.bodies])
            raise ArmFileError(f"{self.path}: has no link or frame {name!r}; there are {known}")
        return name, np.eye(4)


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
