"""Reading URDF: one serial chain out of the tree of links."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from armtwin.errors import ArmFileError
from armtwin.model.arm import Arm, Drive, Kind, Limits, Link
from armtwin.model.drive import joint_side_drive
from armtwin.model.formats.meshes.urdf_shapes import UrdfShapes, origin_of
from armtwin.model.formats.tree.kinematic_tree import Coupling, Tree, TreeBody, TreeJoint
from armtwin.model.formats.tree.tips import chosen_arm
from armtwin.model.formats.xml import Node, bound, read_xml
from armtwin.model.link import Inertia, expressed_in
from armtwin.spatial import Array


def links_and_joints(robot: Node) -> dict[str, tuple[Node, Node | None]]:
    """Return every link with the joint above it, after checking that they form one tree."""
    _refuse_xacro(robot)
    links = _by_name(robot.all("link"))
    if not links:
        raise robot.fault("has no <link>; an arm needs links and joints")
    _by_name(robot.all("joint"))
    above: dict[str, Node] = {}
    for joint in robot.all("joint"):
        child = _end_of(joint, "child", links)
        _end_of(joint, "parent", links)
        if child in above:
            other = above[child].attributes["name"]
            raise joint.fault(
                f"link {child!r} is already the child of joint {other!r}; a link has one parent"
            )
        above[child] = joint
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        what = f"several roots: {', '.join(roots)}" if roots else "a closed loop and no root"
        raise robot.fault(f"its links have {what}; expected one link that is no joint's child")
    _refuse_loops(links, above)
    return {name: (links[name], above.get(name)) for name in links}


def _refuse_xacro(robot: Node) -> None:
    for node in robot.children:
        if node.tag.startswith("xacro:"):
            raise node.fault(
                "this is a xacro file; turn it into URDF first: xacro in.xacro > out.urdf"
            )


def _by_name(nodes: list[Node]) -> dict[str, Node]:
    named: dict[str, Node] = {}
    for node in nodes:
        if node.text("name") in named:
            line = named[node.text("name")].line
            raise node.fault(f"this name was given before, on line {line}; names must differ")
        named[node.text("name")] = node
    return named


def _end_of(joint: Node, which: str, links: dict[str, Node]) -> str:
    name = joint.required_child(which).text("link")
    if name not in links:
        raise joint.fault(f"{which} link {name!r} does not exist; there are {', '.join(links)}")
    return name


def _refuse_loops(links: dict[str, Node], above: dict[str, Node]) -> None:
    for name in links:
        at, steps = name, 0
        while at in above:
            at, steps = above[at].required_child("parent").text("link"), steps + 1
            if steps > len(links):
                raise above[name].fault("is part of a closed loop; an arm is an open chain")


KINDS: dict[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_urdf(
    path: str | Path, *, tip: str | None = None, base: str | None = None, confined: bool = False
) -> Arm:
    """Return the arm of a URDF file as screws; ``T_base_tool`` leads from ``base`` to the tip.

    Links connected by fixed joints are merged; those fixed to the base are ignored. A moving link
    without ``<inertial>`` has an unknown mass. Damping and friction become viscous-coulomb friction
    at the joint. A bound of 1e9 or more counts as none. The z axis of the root points up. What an
    arm has no place for (transmissions, sensors) is counted in its source ``not read``.

    Args:
        path: the file.
        tip: last link of the chain, needed only where the tree branches.
        base: link whose frame is the arm's base; by default the root.
        confined: for files of unknown origin: accept only meshes beside the file and in installed
            packages.

    Raises:
        ArmFileError: with file, line and element; several tips to choose from.

    Warns:
        ModelWarning: mesh files that are not found, shapes of no size, an effort or velocity limit
            of 0 (read as unknown), an impossible inertia, moving joints beside the chain, or a
            ``<mimic>`` joint, which is taken as independent.
    """
    return chosen_arm(urdf_tree(path, confined=confined), tip=tip, base=base)


def urdf_tree(path: str | Path, *, confined: bool = False) -> Tree:
    """Return all links and joints of a URDF file, from which an arm is chosen.

    Raises:
        ArmFileError: with file, line and element.
    """
    path = Path(path)
    robot = read_xml(path, "robot")
    shapes = UrdfShapes(robot, confined=confined)
    bodies = {
        name: _body(link, joint, shapes) for name, (link, joint) in links_and_joints(robot).items()
    }
    name = robot.attributes.get("name") or path.stem
    return Tree(name, path, bodies, unread=_unread(robot), notes=tuple(shapes.notes))


def _unread(robot: Node) -> str:
    """Return the elements of a file that an arm has no place for, counted."""
    read = ("name", "link", "joint", "inertial", "origin", "parent", "child", "axis", "limit",
            "dynamics", "mimic", "visual", "collision", "material")  # fmt: skip
    parts = [part for node in robot.all("link", "joint") for part in node.children]
    counts = Counter(node.tag for node in (*parts, *robot.children) if node.tag not in read)
    return ", ".join(f"{count} <{tag}>" for tag, count in counts.items())


def _body(link: Node, joint: Node | None, shapes: UrdfShapes) -> TreeBody:
    name = link.text("name")
    if joint is None:
        return TreeBody(name, None, np.eye(4), (), _link(link), shapes.of(link))
    above = joint.required_child("parent").text("link")
    moving = () if joint.text("type") == "fixed" else (_joint(joint),)
    return TreeBody(name, above, origin_of(joint), moving, _link(link), shapes.of(link))


def _joint(joint: Node) -> TreeJoint:
    """Return a moving joint; a fault in it matters only if it becomes part of the chain."""
    name, kind = joint.text("name"), joint.text("type")
    try:
        if kind not in KINDS:
            raise joint.fault(f"type={kind!r} is not read; the types read are {', '.join(KINDS)}")
        limits, notes = _limits(joint, kind)
        return TreeJoint(
            name=name,
            kind=KINDS[kind],
            axis=_axis(joint),
            point=np.zeros(3),
            limits=limits,
            drive=_drive(joint),
            coupling=_coupling(joint),
            notes=notes,
        )
    except ArmFileError as error:
        return TreeJoint(name, "fixed", np.zeros(3), np.zeros(3), fault=error)


def _coupling(joint: Node) -> Coupling | None:
    node = joint.first("mimic")
    if node is None:
        return None
    return Coupling(
        node.text("joint"), (node.number("offset", 0.0), node.number("multiplier", 1.0))
    )


def _axis(joint: Node) -> Array:
    node = joint.first("axis")
    axis = np.array([1.0, 0, 0]) if node is None else node.numbers("xyz", 3, (1, 0, 0))
    size = float(np.linalg.norm(axis))
    if node is not None and size < 1e-9:
        raise node.fault(f"xyz={node.text('xyz')!r} has no direction; give a unit vector")
    return np.asarray(axis / size)


def _limits(joint: Node, kind: str) -> tuple[Limits, tuple[str, ...]]:
    """Return a joint's limits and what to warn of."""
    node = joint.first("limit")
    if node is None:
        if kind == "continuous":
            return Limits(), ()
        raise joint.fault(f"a {kind} joint needs <limit lower upper effort velocity>")
    lower = upper = None
    if kind != "continuous":
        if not {"lower", "upper"} & set(node.attributes):
            raise node.fault("has neither lower nor upper; give both, or make the joint continuous")
        lower, upper = bound(node.number("lower", 0.0)), bound(node.number("upper", 0.0))
    speed, effort = _positive(node, "velocity"), _positive(node, "effort")
    notes = [
        f"line {node.line}: joint {joint.text('name')!r} has the limit {name}=0, which would "
        "forbid motion; read as unknown"
        for name in ("velocity", "effort")
        if name in node.attributes and node.number(name) == 0
    ]
    return Limits(lower=lower, upper=upper, speed=speed, effort=effort), tuple(notes)


def _positive(limit: Node, name: str) -> float | None:
    """Return a speed or effort limit; None where it is missing or zero."""
    value = limit.number(name, 0.0)
    if value < 0:
        raise limit.fault(f"{name}={limit.text(name)!r}; it cannot be negative")
    return bound(value) if value else None


def _drive(joint: Node) -> Drive | None:
    node = joint.first("dynamics")
    if node is None:
        return None
    for name in ("damping", "friction"):
        if node.number(name, 0.0) < 0:
            raise node.fault(f"{name}={node.text(name)!r}; it cannot be negative")
    return joint_side_drive(node.number("damping", 0.0), node.number("friction", 0.0))


def _link(link: Node) -> Link:
    """Return the link's inertial in the link's own frame."""
    node = link.first("inertial")
    if node is None:
        return Link()
    mass = node.required_child("mass").number("value")
    if mass < 0:
        raise node.required_child("mass").fault(f"a mass cannot be negative; {mass:g} kg was given")
    xx, yy, zz, xy, xz, yz = (node.required_child("inertia").number(name) for name in ENTRIES)
    inertia: Inertia = (xx, yy, zz, xy, xz, yz)
    return expressed_in(Link(mass=mass, com=(0.0, 0.0, 0.0), inertia=inertia), origin_of(node))
