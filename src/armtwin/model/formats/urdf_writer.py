"""Writing URDF: joint frames as link frames, so that any convention becomes exact."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from armtwin.model.arm import Arm, Joint, Link
from armtwin.model.drive import viscous_and_coulomb
from armtwin.model.formats.urdf_reader import ENTRIES
from armtwin.model.formats.xml import UNBOUNDED, bounds, document, known, numbers, unlimited
from armtwin.model.link import joint_steps, rows, seen_from, tool_step, without_noise
from armtwin.model.shapes import Bar, bars
from armtwin.spatial import Array, from_parts, rpy_from_rotation


def write_urdf(arm: Arm) -> str:
    """Return the arm as URDF text, from link ``base_link`` to link ``tool``.

    Link ``link_i`` has the joint frame of row i: z is the joint's axis. Offsets go into the
    origins and directions into the axes, so that ``q`` means the same. URDF requires speed
    and effort limits: 1e9 stands for a missing one.
    """
    robot = ET.Element("robot", name=arm.name)
    shapes = bars(arm)
    base = ET.SubElement(robot, "link", name="base_link")
    _add_bars(base, shapes[0])
    above = "base_link"
    for number, (row, step) in enumerate(zip(rows(arm), joint_steps(arm), strict=True), 1):
        name = f"link_{number}"
        _add_joint(robot, row.joint, step, (above, name))
        link = ET.SubElement(robot, "link", name=name)
        _add_inertial(link, row.joint, seen_from(row.joint.link, row.after))
        _add_bars(link, shapes[number])
        above = name
    _add_joint(robot, Joint(_unused("tool_joint", arm), "fixed"), tool_step(arm), (above, "tool"))
    ET.SubElement(robot, "link", name="tool")
    return document(robot)


def _unused(name: str, arm: Arm) -> str:
    while name in {joint.name for joint in arm.joints}:
        name += "_"
    return name


def _add_joint(robot: ET.Element, joint: Joint, step: Array, links: tuple[str, str]) -> None:
    node = ET.SubElement(robot, "joint", name=joint.name, type=_type(joint))
    ET.SubElement(node, "parent", link=links[0])
    ET.SubElement(node, "child", link=links[1])
    _add_origin(node, step)
    if joint.kind == "fixed":
        return
    ET.SubElement(node, "axis", xyz=f"0 0 {joint.direction}")
    _add_limit(node, joint)
    friction = viscous_and_coulomb(joint.drive)
    if friction is not None:
        ET.SubElement(node, "dynamics", damping=numbers(friction[0]), friction=numbers(friction[1]))
    elif joint.drive is not None and joint.drive.friction is not None:
        model = joint.drive.friction.model
        node.append(ET.Comment(f" URDF cannot express the friction model {model}: left out "))


def _type(joint: Joint) -> str:
    return "continuous" if joint.kind == "revolute" and unlimited(joint) else joint.kind


def _add_limit(node: ET.Element, joint: Joint) -> None:
    limits = (
        {}
        if _type(joint) == "continuous"
        else dict(zip(("lower", "upper"), bounds(joint), strict=True))
    )
    limits["effort"] = joint.limits.effort or UNBOUNDED
    limits["velocity"] = joint.limits.speed or UNBOUNDED
    ET.SubElement(node, "limit", {name: numbers(value) for name, value in limits.items()})


def _add_origin(node: ET.Element, T: Array) -> None:
    rpy = without_noise(rpy_from_rotation(T[:3, :3]))
    ET.SubElement(node, "origin", xyz=numbers(*without_noise(T[:3, 3])), rpy=numbers(*rpy))


def _add_inertial(node: ET.Element, joint: Joint, link: Link) -> None:
    if not known(link):
        if joint.kind != "fixed":
            node.append(ET.Comment(" mass, centre of mass or inertia unknown: no inertial "))
        return
    inertial = ET.SubElement(node, "inertial")
    ET.SubElement(inertial, "origin", xyz=numbers(*link.com or ()), rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=numbers(link.mass or 0.0))
    entries = zip(ENTRIES, link.inertia or (), strict=True)
    ET.SubElement(inertial, "inertia", {name: numbers(value) for name, value in entries})


def _add_bars(node: ET.Element, found: list[Bar]) -> None:
    for bar in found:
        visual = ET.SubElement(node, "visual")
        straight = bar.length > 0
        _add_origin(visual, bar.middle if straight else from_parts(np.eye(3), bar.start))
        geometry = ET.SubElement(visual, "geometry")
        if straight:
            size = {"radius": numbers(bar.radius), "length": numbers(bar.length)}
            ET.SubElement(geometry, "cylinder", size)
        else:
            ET.SubElement(geometry, "sphere", radius=numbers(bar.radius))
