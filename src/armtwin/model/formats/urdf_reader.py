"""Reading URDF: one serial chain out of the tree of links."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from armtwin.errors import ModelWarning
from armtwin.model.arm import Arm, Drive, Kind, Limits, Link
from armtwin.model.drive import joint_side_drive
from armtwin.model.formats.kinematic_tree import TreeBody, TreeJoint, serial_arm, tips
from armtwin.model.formats.xml import Node, bound, read_xml
from armtwin.model.link import Inertia, seen_from
from armtwin.spatial import Array, pose


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
    name = joint.the(which).text("link")
    if name not in links:
        raise joint.fault(f"{which} link {name!r} does not exist; there are {', '.join(links)}")
    return name


def _refuse_loops(links: dict[str, Node], above: dict[str, Node]) -> None:
    for name in links:
        at, steps = name, 0
        while at in above:
            at, steps = above[at].the("parent").text("link"), steps + 1
            if steps > len(links):
                raise above[name].fault("is part of a closed loop; an arm is an open chain")


def chosen_tip(robot: Node, bodies: dict[str, TreeBody], tip: str | None) -> str:
    """Return the last link of the chain: the given one, or the only tip.

    Args:
        robot: the file's root element, for the error message.
        bodies: links by name.
        tip: the link asked for; None for the only one without children.
    """
    if tip is not None:
        if tip not in bodies:
            raise robot.fault(f"has no link {tip!r} to end in; there are {', '.join(bodies)}")
        return tip
    ends = tips(bodies)
    if len(ends) > 1:
        raise robot.fault(
            f"branches to the tips {', '.join(ends)}; an arm is one chain: choose where it ends, "
            f"as in load(path, tip={ends[-1]!r})"
        )
    return ends[0]


KINDS: dict[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_urdf(path: str | Path, *, tip: str | None = None) -> Arm:
    """Return the arm of a URDF file as screws; ``T_base_tool`` leads from the root link to the tip.

    Links connected by fixed joints are merged; those fixed to the root are ignored. A moving link
    without ``<inertial>`` has an unknown mass. Damping and friction become viscous-coulomb friction
    at the joint. A bound of 1e9 or more counts as none.

    Args:
        path: the file.
        tip: last link of the chain, needed only where the tree branches.

    Raises:
        ArmFileError: with file, line and element.

    Warns:
        ModelWarning: an effort or velocity limit of 0 (read as unknown), an impossible inertia, or
            moving joints beside the chain.
    """
    path = Path(path)
    robot = read_xml(path, "robot")
    bodies = {name: _body(link, joint) for name, (link, joint) in links_and_joints(robot).items()}
    name = robot.attributes.get("name") or path.stem
    last = chosen_tip(robot, bodies, tip)
    return serial_arm(name, bodies, tip=last, end=np.eye(4), path=path)


def _body(link: Node, joint: Node | None) -> TreeBody:
    name = link.text("name")
    if joint is None:
        return TreeBody(name, None, np.eye(4), (), _link(link))
    kind = joint.text("type")
    if kind not in KINDS:
        raise joint.fault(f"type={kind!r} is not read; the types read are {', '.join(KINDS)}")
    mimic = joint.first("mimic")
    if mimic is not None:
        raise mimic.fault("coupled joints are not read; make the joint fixed or independent")
    above = joint.the("parent").text("link")
    if kind == "fixed":
        return TreeBody(name, above, _origin(joint), (), _link(link))
    moving = TreeJoint(
        name=joint.text("name"),
        kind=KINDS[kind],
        axis=_axis(joint),
        point=np.zeros(3),
        limits=_limits(joint, kind),
        drive=_drive(joint),
    )
    return TreeBody(name, above, _origin(joint), (moving,), _link(link))


def _origin(node: Node) -> Array:
    origin = node.first("origin")
    if origin is None:
        return np.eye(4)
    return pose(origin.numbers("xyz", 3, (0, 0, 0)), origin.numbers("rpy", 3, (0, 0, 0)))


def _axis(joint: Node) -> Array:
    node = joint.first("axis")
    axis = np.array([1.0, 0, 0]) if node is None else node.numbers("xyz", 3, (1, 0, 0))
    size = float(np.linalg.norm(axis))
    if node is not None and size < 1e-9:
        raise node.fault(f"xyz={node.text('xyz')!r} has no direction; give a unit vector")
    return np.asarray(axis / size)


def _limits(joint: Node, kind: str) -> Limits:
    node = joint.first("limit")
    if node is None:
        if kind == "continuous":
            return Limits()
        raise joint.fault(f"a {kind} joint needs <limit lower upper effort velocity>")
    lower = upper = None
    if kind != "continuous":
        if not {"lower", "upper"} & set(node.attributes):
            raise node.fault("has neither lower nor upper; give both, or make the joint continuous")
        lower, upper = bound(node.number("lower", 0.0)), bound(node.number("upper", 0.0))
    speed, effort = _positive(node, "velocity", joint), _positive(node, "effort", joint)
    return Limits(lower=lower, upper=upper, speed=speed, effort=effort)


def _positive(limit: Node, name: str, joint: Node) -> float | None:
    if name not in limit.attributes:
        return None
    value = limit.number(name)
    if value < 0:
        raise limit.fault(f"{name}={limit.text(name)!r}; it cannot be negative")
    if value == 0:
        message = (
            f"{limit.path}: line {limit.line}: joint {joint.text('name')!r} has the limit "
            f"{name}=0, which would forbid motion; read as unknown"
        )
        warnings.warn(message, ModelWarning, stacklevel=7)
        return None
    return bound(value)


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
    mass = node.the("mass").number("value")
    if mass < 0:
        raise node.the("mass").fault(f"a mass cannot be negative; {mass:g} kg was given")
    xx, yy, zz, xy, xz, yz = (node.the("inertia").number(name) for name in ENTRIES)
    inertia: Inertia = (xx, yy, zz, xy, xz, yz)
    return seen_from(Link(mass=mass, com=(0.0, 0.0, 0.0), inertia=inertia), _origin(node))
