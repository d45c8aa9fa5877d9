"""The arm: a frozen serial chain with the numbers of its links and drives."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from armtwin.errors import InputError, MissingDataError
from armtwin.model.error_curve import ErrorCurve
from armtwin.model.geometry import LinkShape
from armtwin.model.matrix import IDENTITY as IDENTITY
from armtwin.model.matrix import Matrix as Matrix
from armtwin.model.matrix import as_matrix as as_matrix
from armtwin.spatial import Array

BEND = 1e-4
"""Angle [rad] that stands for joints that bend under gravity."""

Convention = Literal["standard-dh", "modified-dh", "screws"]
Kind = Literal["revolute", "prismatic", "fixed"]


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint: position [rad | m], speed [rad/s], acceleration [rad/s2], effort [Nm]."""

    lower: float | None = None
    upper: float | None = None
    speed: float | None = None
    acceleration: float | None = None
    effort: float | None = None


@dataclass(frozen=True)
class Link:
    """The rigid body moved by a joint, in the link's own frame.

    Attributes:
        mass: [kg].
        com: centre of mass (3,) [m].
        inertia: ``(xx, yy, zz, xy, xz, yz)`` about the centre of mass [kg m2].
        radius: outer radius for drawing and clearance [m].
    """

    mass: float | None = None
    com: tuple[float, float, float] | None = None
    inertia: tuple[float, float, float, float, float, float] | None = None
    radius: float | None = None


@dataclass(frozen=True)
class Friction:
    """A friction model by name with its parameters, acting on the motor or the joint side."""

    model: str
    parameters: tuple[tuple[str, float], ...]
    side: Literal["motor", "joint"] = "joint"


@dataclass(frozen=True)
class Drive:
    """Motor and gear of a joint: ratio, inertias at the motor [kg m2], constants (see notation)."""

    gear: float = 1.0
    motor_inertia: float = 0.0
    reducer_inertia: float = 0.0
    torque_constant: float | None = None
    motor_constant: float | None = None
    back_emf_ratio: float = 1.0
    resistance: float | None = None
    friction: Friction | None = None


@dataclass(frozen=True)
class Mimic:
    """A coupling that the mechanism imposes: ``q = multiplier * q[joint] + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """One row of the chain: the pose of frame i in frame i-1, its limits, link and drive.

    The joint variable is ``s = direction * q + offset``. In both DH conventions a revolute joint
    has ``theta_i = theta + s`` and a prismatic one ``d_i = d + s``; with screws the joint moves
    along ``exp([screw] s)``. A ``fixed`` row takes no entry of ``q``.

    ``compliance`` [rad/Nm] is the elasticity of the gear under gravity: with the motor at q, the
    link is at ``q - compliance * g(q)``, g being the gravity torque. ``error_curve`` is the
    periodic error of gear and encoder, which adds to it: ``q + e(q) - compliance * g(q)``.

    A joint with ``mimic`` keeps its entry of ``q``, which the caller fills in; the equations do not
    impose the coupling, so what would have to choose ``q`` refuses such an arm.
    """

    name: str
    kind: Kind = "revolute"
    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    screw: tuple[float, ...] | None = None
    offset: float = 0.0
    direction: int = 1
    compliance: float = 0.0
    error_curve: ErrorCurve | None = None
    limits: Limits = field(default_factory=Limits)
    link: Link = field(default_factory=Link)
    drive: Drive | None = None
    mimic: Mimic | None = None

    def turn_and_shift(self, s: Any) -> tuple[Any, Any]:
        """Return the turn about and the shift along z for the joint variable ``s``."""
        turn = self.theta + s if self.kind == "revolute" else self.theta
        return turn, self.d + s if self.kind == "prismatic" else self.d


@dataclass(frozen=True)
class Arm:
    """A serial arm. ``T_base_tool(q) = base . chain(q) . tool`` (``. home`` with screws).

    Attributes:
        name: short name, as in the catalogue.
        convention: how the joints' geometry is given.
        joints: the rows of the chain from base to tool, driven and fixed.
        base: pose of frame 0 in the base frame, 4x4.
        tool: pose of the tool in the last frame, 4x4.
        home: pose of the last frame at s = 0 (screws only), 4x4.
        gravity: acceleration of free fall in the base frame [m/s2].
        sources: where each kind of number comes from.
        link_names: names of the base, of every row's link and of the tool in the file that the arm
            was read from; empty where there are none.
        shapes: visual and collision shapes of the links; they change no result but pictures,
            and collisions where requested.
    """

    name: str
    convention: Convention
    joints: tuple[Joint, ...]
    base: Matrix = IDENTITY
    tool: Matrix = IDENTITY
    home: Matrix = IDENTITY
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    title: str = ""
    sources: tuple[tuple[str, str], ...] = ()
    link_names: tuple[str, ...] = ()
    shapes: tuple[LinkShape, ...] = field(default=(), hash=False, repr=False)

    @functools.cached_property
    def driven(self) -> tuple[Joint, ...]:
        """The joints that take an entry of ``q``."""
        return tuple(joint for joint in self.joints if joint.kind != "fixed")

    @functools.cached_property
    def dof(self) -> int:
        """Number of driven joints."""
        return len(self.driven)

    @functools.cached_property
    def lower(self) -> Array:
        """Lower joint limits (dof,), -inf where none is given."""
        return _read_only(
            [-np.inf if j.limits.lower is None else j.limits.lower for j in self.driven]
        )

    @functools.cached_property
    def upper(self) -> Array:
        """Upper joint limits (dof,), inf where none is given."""
        return _read_only(
            [np.inf if j.limits.upper is None else j.limits.upper for j in self.driven]
        )

    @functools.cached_property
    def joint_error(self) -> float:
        """Size of the largest difference of link angles and readings; 0 where they are equal.

        ``BEND`` stands for joints that bend under gravity.
        """
        curves = [joint.error_curve.size for joint in self.driven if joint.error_curve]
        bend = BEND if any(joint.compliance for joint in self.driven) else 0.0
        return max([bend, *curves])

    @functools.cached_property
    def fingerprint(self) -> str:
        """Hash of every number of the model, equal in all processes; not of labels and shapes."""
        numbers = dataclasses.asdict(dataclasses.replace(self, shapes=()))
        for label in ("name", "title", "sources", "link_names", "shapes"):
            numbers.pop(label)
        for joint in numbers["joints"]:
            for name in ("error_curve", "mimic"):
                if joint[name] is None:
                    joint.pop(name)
        text = json.dumps(numbers, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def __repr__(self) -> str:
        """Return one line; ``armtwin show`` prints every number."""
        return f"<Arm {self.name}: {self.dof} driven joints, {self.convention}>"

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without cached properties, for pickling and copying."""
        return {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}

    def with_(self, **changes: Any) -> Arm:
        """Return a copy with some fields replaced; ``base`` and ``tool`` may be arrays."""
        for key in ("base", "tool", "home"):
            if key in changes:
                changes[key] = as_matrix(changes[key])
        return dataclasses.replace(self, **changes)

    def without_error_curves(self) -> Arm:
        """Return the arm as its controller models it: encoder readings are taken as link angles."""
        if not any(joint.error_curve for joint in self.joints):
            return self
        joints = tuple(dataclasses.replace(joint, error_curve=None) for joint in self.joints)
        return dataclasses.replace(self, joints=joints)

    def require_free_joints(self, task: str) -> None:
        """Raise InputError if a joint follows another one, which ``task`` would not respect."""
        for joint in self.driven:
            if joint.mimic is not None:
                raise InputError(
                    f"{task} of arm {self.name!r} would not respect the coupling {joint.name} = "
                    f"{joint.mimic.multiplier:g} {joint.mimic.joint} + {joint.mimic.offset:g}; "
                    "choose a tip above the coupled joint, or drop its mimic from the model"
                )

    def require_masses(self) -> None:
        """Raise MissingDataError naming every missing mass, centre of mass and inertia."""
        missing = [
            f"{joint.name}.{name}"
            for joint in self.driven
            for name in ("mass", "com", "inertia")
            if getattr(joint.link, name) is None
        ]
        if missing:
            raise MissingDataError(
                f"arm {self.name!r} lacks numbers that dynamics needs: {', '.join(missing)}; "
                "add them under [joints.link] in its TOML file"
            )


def _read_only(values: list[float]) -> Array:
    array = np.array(values, float)
    array.flags.writeable = False
    return array
