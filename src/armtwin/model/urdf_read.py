"""Reading URDF: one serial chain out of the tree of links."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from armtwin.errors import ModelWarning
from armtwin.model.arm import Arm, Drive, Kind, Limits, Link
from armtwin.model.bodies import Inertia, seen_from
from armtwin.model.drives import joint_side_drive
from armtwin.model.tree import TreeBody, TreeJoint, serial_arm
from armtwin.model.urdf_tree import chosen_tip, links_and_joints
from armtwin.model.xml_source import Node, read_xml
from armtwin.model.xml_text import bound
from armtwin.spatial import Array, pose

KINDS: dict[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_urdf(path: str | Path, *, tip: str | None = None) -> Arm:
    """Return the arm of a URDF file as screws; ``T_base_tool`` leads from the root link to the tip.

    Links joined by fixed joints become one body; what is fixed to the root does not move and is
    left out. A moving link without ``<inertial>`` has no known mass. Damping and friction become
    a viscous-coulomb friction at the joint. A bound of 1e9 or more counts as none.

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
