"""Reading MJCF: the bodies, joints and inertias of one serial chain."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from armtwin.errors import ArmFileError, ModelWarning
from armtwin.model.arm import Arm, Drive, Kind, Limits, Link
from armtwin.model.drive import joint_side_drive
from armtwin.model.formats.meshes.mjcf_shapes import MjcfShapes
from armtwin.model.formats.mjcf_equality import constraints, couplings
from armtwin.model.formats.mjcf_settings import MAIN, MjcfSettings, read_settings
from armtwin.model.formats.tree.kinematic_tree import Tree, TreeBody, TreeJoint
from armtwin.model.formats.tree.tips import chosen_arm
from armtwin.model.formats.xml import Node, bound, read_xml
from armtwin.model.geometry import LinkShape
from armtwin.model.link import Inertia, expressed_in
from armtwin.spatial import Array

KINDS: dict[str, Kind] = {"hinge": "revolute", "slide": "prismatic"}
UNREAD = ("include", "frame", "replicate", "composite", "flexcomp", "attach")
TOOL = "tool"
ENDS = ("body", "joint", "site", "tendon")
READ = (
    "worldbody", "compiler", "option", "default", "equality", "actuator",
    "body", "joint", "freejoint", "inertial", "site", "geom", "asset",
)  # fmt: skip


class _Reader:
    """Collects the bodies and sites of a file."""

    def __init__(self, root: Node, *, confined: bool = False) -> None:
        """Walk the whole ``<worldbody>``; ``confined`` as in ``read_mjcf``."""
        self.settings: MjcfSettings = read_settings(root)
        self.shapes = MjcfShapes(root, self.settings, confined=confined)
        shapes = self.geoms(root.required_child("worldbody"), MAIN)
        self.bodies = {"world": TreeBody("world", None, np.eye(4), shapes=shapes)}
        self.sites: dict[str, tuple[str, Array]] = {}
        self.joint_count = 0
        self.efforts = _efforts(root)
        self.couplings = couplings(root)
        self.walk(root.required_child("worldbody"), "world", MAIN)

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
        joints = tuple(self.joint(child, childclass) for child in node.all("joint", "freejoint"))
        link = self.link(node.first("inertial"))
        shapes = self.geoms(node, childclass)
        self.bodies[name] = TreeBody(name, above, self.settings.pose(node), joints, link, shapes)
        self.walk(node, name, childclass)

    def geoms(self, node: Node, childclass: str) -> tuple[LinkShape, ...]:
        """Return the shapes of a body."""
        found = [self.shapes.of(geom, childclass) for geom in node.all("geom")]
        return tuple(shape for shapes in found for shape in shapes)

    def joint(self, given: Node, childclass: str) -> TreeJoint:
        """Return a joint in its body's frame; a fault in it matters only in the chain."""
        self.joint_count += 1
        name = given.attributes.get("name") or f"joint_{self.joint_count}"
        try:
            return self.chain_joint(given, name, childclass)
        except ArmFileError as error:
            return TreeJoint(name, "fixed", np.zeros(3), np.zeros(3), fault=error)

    def chain_joint(self, given: Node, name: str, childclass: str) -> TreeJoint:
        """Return a hinge or slide.

        Args:
            given: its element.
            name: of the joint.
            childclass: default class of the elements around it.
        """
        if given.tag == "freejoint":
            raise given.fault("is not read; a chain is made of hinges and slides")
        node = self.settings.filled(given, childclass)
        kind = node.attributes.get("type", "hinge")
        if kind not in KINDS:
            raise given.fault(f"type={kind!r} is not read; the types read are {', '.join(KINDS)}")
        unit = self.settings.angle if kind == "hinge" else 1.0
        axis = node.numbers("axis", 3, (0, 0, 1))
        if np.linalg.norm(axis) < 1e-9:
            raise given.fault(f"axis={node.text('axis')!r} has no direction; give a unit vector")
        return TreeJoint(
            name=name,
            kind=KINDS[kind],
            axis=axis / np.linalg.norm(axis),
            point=node.numbers("pos", 3, (0, 0, 0)),
            limits=self.limits(node, unit, self.efforts.get(name)),
            drive=_drive(node),
            offset=-node.number("ref", 0.0) * unit + 0.0,
            coupling=self.couplings.get(name),
            notes=_spring(node),
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
        return expressed_in(
            Link(mass=mass, com=(0.0, 0.0, 0.0), inertia=inertia), self.settings.pose(node)
        )


def read_mjcf(
    path: str | Path, *, tip: str | None = None, base: str | None = None, confined: bool = False
) -> Arm:
    """Return the arm of an MJCF file as screws; the base is the world unless another is given.

    Read are bodies with hinges and slides, their limits, damping, friction loss and armature, the
    inertias given by ``<inertial>`` (not those MuJoCo would derive from geoms), default classes,
    the force limits of motors, gravity, and geoms as shapes. The other elements are counted in the
    arm's source ``not read``.

    Args:
        path: the file.
        tip: the site or body that the chain ends in; by default the site ``tool``, else the only
            body without children.
        base: the site or body whose frame is the arm's base; by default the world.
        confined: for files of unknown origin: accept only meshes beside the file.

    Raises:
        ArmFileError: with file, line and element; several tips to choose from.

    Warns:
        ModelWarning: springs and equality constraints, which are not held; an impossible
            inertia; moving joints beside the chain.
    """
    path = Path(path)
    root = read_xml(path, "mujoco")
    for node in root.all("include"):
        raise node.fault("is not read; write one whole file (mj_saveLastXML does)")
    reader = _Reader(root, confined=confined)
    tree = Tree(
        name=root.attributes.get("model") or path.stem,
        path=path,
        bodies=reader.bodies,
        frames=reader.sites,
        gravity=_gravity(root),
        unread=_unread(root),
        notes=tuple(reader.shapes.notes),
    )
    arm = chosen_arm(tree, tip=tip or (TOOL if TOOL in reader.sites else None), base=base)
    for node in constraints(root):
        if node.tag != "joint":
            ends = " and ".join(v for k, v in node.attributes.items() if k[:-1] in ENDS)
            warnings.warn(
                f"{path}: line {node.line}: <equality> {node.tag} ({ends}) is not read: the arm "
                "moves without it",
                ModelWarning,
                stacklevel=2,
            )
    return arm


def _unread(root: Node) -> str:
    """Return the elements of a file that an arm has no place for, counted."""
    counts = Counter(n.tag for n in root.children if n.tag not in READ)
    waiting = [root.required_child("worldbody")]
    while waiting:
        inside = waiting.pop().children
        waiting += [node for node in inside if node.tag == "body"]
        counts.update(node.tag for node in inside if node.tag not in READ)
    return ", ".join(f"{count} <{tag}>" for tag, count in counts.items())


def _gravity(root: Node) -> tuple[float, float, float]:
    x, y, z = Arm.gravity
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


def _spring(node: Node) -> tuple[str, ...]:
    """Return what to warn of where a joint has a spring."""
    if not node.number("stiffness", 0.0):
        return ()
    return (f"line {node.line}: stiffness of a joint's spring is not read",)


def _efforts(root: Node) -> dict[str, float]:
    """Return the largest effort of each joint driven by a motor of gear 1 with a range."""
    efforts: dict[str, float] = {}
    for actuator in root.all("actuator"):
        for motor in actuator.all("motor"):
            plain = "gear" not in motor.attributes and "joint" in motor.attributes
            if plain and "ctrlrange" in motor.attributes:
                efforts[motor.text("joint")] = float(np.abs(motor.numbers("ctrlrange", 2)).max())
    return efforts
