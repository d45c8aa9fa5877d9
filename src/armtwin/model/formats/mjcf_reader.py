"""Reading MJCF: the bodies, joints and inertias of one serial chain."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from armtwin.errors import ModelWarning
from armtwin.model.arm import Arm, Drive, Kind, Limits, Link
from armtwin.model.drive import joint_side_drive
from armtwin.model.formats.kinematic_tree import TreeBody, TreeJoint, serial_arm, tips
from armtwin.model.formats.mjcf_settings import MAIN, MjcfSettings, read_settings
from armtwin.model.formats.xml import Node, bound, read_xml
from armtwin.model.link import Inertia, seen_from
from armtwin.spatial import Array

KINDS: dict[str, Kind] = {"hinge": "revolute", "slide": "prismatic"}
UNREAD = ("include", "frame", "replicate", "composite", "flexcomp", "attach", "freejoint")
TOOL = "tool"


class _Reader:
    """Collects the bodies and sites of a file."""

    def __init__(self, root: Node) -> None:
        """Walk the whole ``<worldbody>``."""
        self.settings: MjcfSettings = read_settings(root)
        self.bodies = {"world": TreeBody("world", None, np.eye(4))}
        self.sites: dict[str, tuple[str, Array]] = {}
        self.joint_count = 0
        self.efforts = _efforts(root)
        self.walk(root.the("worldbody"), "world", MAIN)

    def walk(self, node: Node, name: str, childclass: str) -> None:
        """Add the bodies and sites inside a body.

        Args:
            node: the body's element.
            name: of the body.
            childclass: default class of the elements inside.
        """
        for child in node.children:
            if child.tag in UNREAD:
                raise child.fault("is not read; write the bodies out (mj_saveLastXML does)")
            if child.tag == "site":
                site = self.settings.filled(child, childclass)
                self.sites[site.attributes.get("name", "")] = (name, self.settings.pose(site))
            if child.tag == "body":
                self.add(child, name, child.attributes.get("childclass", childclass))

    def add(self, node: Node, above: str, childclass: str) -> None:
        """Add one body with its joints and inertia.

        Args:
            node: the body's element.
            above: name of its parent body.
            childclass: default class of the elements inside.
        """
        name = node.attributes.get("name") or f"body_{len(self.bodies)}"
        if name in self.bodies:
            raise node.fault("this name was given before; names must differ")
        joints = tuple(self.joint(child, childclass) for child in node.all("joint"))
        link = self.link(node.first("inertial"))
        self.bodies[name] = TreeBody(name, above, self.settings.pose(node), joints, link)
        self.walk(node, name, childclass)

    def joint(self, given: Node, childclass: str) -> TreeJoint:
        """Return a joint in its body's frame."""
        node = self.settings.filled(given, childclass)
        self.joint_count += 1
        kind = node.attributes.get("type", "hinge")
        if kind not in KINDS:
            raise given.fault(f"type={kind!r} is not read; the types read are {', '.join(KINDS)}")
        name = node.attributes.get("name") or f"joint_{self.joint_count}"
        unit = self.settings.angle if kind == "hinge" else 1.0
        axis = node.numbers("axis", 3, (0, 0, 1))
        if np.linalg.norm(axis) < 1e-9:
            raise given.fault(f"axis={node.text('axis')!r} has no direction; give a unit vector")
        _warn_of_spring(given, node)
        return TreeJoint(
            name=name,
            kind=KINDS[kind],
            axis=axis / np.linalg.norm(axis),
            point=node.numbers("pos", 3, (0, 0, 0)),
            limits=self.limits(node, unit, self.efforts.get(name)),
            drive=_drive(node),
            offset=-node.number("ref", 0.0) * unit + 0.0,
        )

    def limits(self, node: Node, unit: float, effort: float | None) -> Limits:
        """Return a joint's limits, if they are enabled.

        Args:
            node: the joint's element, defaults filled in.
            unit: size of the file's unit [rad | m].
            effort: largest torque [Nm | N]; None where there is none.
        """
        limited = node.attributes.get("limited", "auto")
        in_force = "range" in node.attributes and self.settings.auto_limits
        if limited == "true" or (limited == "auto" and in_force):
            lower, upper = (node.numbers("range", 2) * unit).tolist()
            return Limits(lower=bound(lower), upper=bound(upper), effort=effort)
        return Limits(effort=effort)

    def link(self, node: Node | None) -> Link:
        """Return an ``<inertial>`` in its body's frame; without one the mass is unknown."""
        if node is None:
            return Link()
        mass = node.number("mass")
        if mass < 0:
            raise node.fault(f"a mass cannot be negative; {mass:g} kg was given")
        if "fullinertia" in node.attributes:
            xx, yy, zz, xy, xz, yz = node.numbers("fullinertia", 6).tolist()
        else:
            (xx, yy, zz), (xy, xz, yz) = node.numbers("diaginertia", 3).tolist(), (0.0, 0.0, 0.0)
        inertia: Inertia = (xx, yy, zz, xy, xz, yz)
        return seen_from(
            Link(mass=mass, com=(0.0, 0.0, 0.0), inertia=inertia), self.settings.pose(node)
        )


def read_mjcf(path: str | Path, *, tip: str | None = None) -> Arm:
    """Return the arm of an MJCF file as screws; the base is the world.

    Read are bodies with hinges and slides, their limits, damping, friction loss and armature, the
    inertias given by ``<inertial>`` (not those MuJoCo would derive from geoms), default classes,
    the force limits of motors, and gravity.

    Args:
        path: the file.
        tip: the site or body that the chain ends in; by default the site ``tool``, else the only
            body without children.

    Raises:
        ArmFileError: with file, line and element.

    Warns:
        ModelWarning: springs and equality constraints, which are ignored; an impossible
            inertia; moving joints beside the chain.
    """
    path = Path(path)
    root = read_xml(path, "mujoco")
    for node in root.all("include"):
        raise node.fault("is not read; write one whole file (mj_saveLastXML does)")
    for node in root.all("equality"):
        warnings.warn(
            f"{node.path}: line {node.line}: <equality> is not read", ModelWarning, stacklevel=2
        )
    reader = _Reader(root)
    last, end = _chosen_tip(root, reader, tip)
    name = root.attributes.get("model") or path.stem
    gravity = _gravity(root)
    return serial_arm(name, reader.bodies, tip=last, end=end, path=path, gravity=gravity)


def _chosen_tip(root: Node, reader: _Reader, tip: str | None) -> tuple[str, Array]:
    ends = tips(reader.bodies)
    wanted = tip or (TOOL if TOOL in reader.sites else ends[0])
    if tip is None and wanted != TOOL and len(ends) > 1:
        raise root.the("worldbody").fault(
            f"branches to the tips {', '.join(ends)}; an arm is one chain: choose the site or body "
            f"it ends in, as in load(path, tip={ends[-1]!r})"
        )
    if wanted in reader.sites:
        return reader.sites[wanted]
    if wanted not in reader.bodies:
        known = ", ".join([*filter(None, reader.sites), *reader.bodies])
        raise root.the("worldbody").fault(f"has no site or body {wanted!r}; there are {known}")
    return wanted, np.eye(4)


def _gravity(root: Node) -> tuple[float, float, float]:
    x, y, z = 0.0, 0.0, -9.81
    for node in root.all("option"):
        x, y, z = node.numbers("gravity", 3, (x, y, z)).tolist()
    return x, y, z


def _drive(node: Node) -> Drive | None:
    values = {}
    for name in ("damping", "frictionloss", "armature"):
        values[name] = node.number(name, 0.0)
        if values[name] < 0:
            raise node.fault(f"{name}={node.text(name)!r}; it cannot be negative")
    return joint_side_drive(values["damping"], values["frictionloss"], values["armature"])


def _warn_of_spring(given: Node, node: Node) -> None:
    if node.number("stiffness", 0.0):
        message = f"{given.path}: line {given.line}: stiffness of a joint's spring is not read"
        warnings.warn(message, ModelWarning, stacklevel=6)


def _efforts(root: Node) -> dict[str, float]:
    """Return the largest effort of each joint driven by a motor of gear 1 with a range."""
    efforts: dict[str, float] = {}
    for actuator in root.all("actuator"):
        for motor in actuator.all("motor"):
            plain = "gear" not in motor.attributes and "joint" in motor.attributes
            if plain and "ctrlrange" in motor.attributes:
                efforts[motor.text("joint")] = float(np.abs(motor.numbers("ctrlrange", 2)).max())
    return efforts
