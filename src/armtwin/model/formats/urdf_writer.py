"""Writing URDF: joint frames as link frames, so that any convention becomes exact."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from armtwin.model.appearance.generated import generated_shapes
from armtwin.model.arm import Arm, Joint, Link, Mimic
from armtwin.model.drive import viscous_and_coulomb
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.formats.meshes.urdf_shapes import add_origin, add_shape
from armtwin.model.formats.urdf_reader import ENTRIES
from armtwin.model.formats.xml import UNBOUNDED, bounds, document, known, numbers, unlimited
from armtwin.model.link import expressed_in, joint_steps, rows, tool_step
from armtwin.spatial import Array


def write_urdf(arm: Arm, names: AssetNames | None = None) -> str:
    """Return the arm as URDF text, from link ``base_link`` to link ``tool``.

    Links have the arm's link names, where it has them. Link ``link_i`` has the joint frame of row
    i: z is the joint's axis. Offsets go into the origins and directions into the axes, so that
    ``q`` means the same. URDF requires speed and effort limits: 1e9 stands for a missing one. An
    arm without shapes is drawn by solids along its geometry, which ``read_urdf`` leaves out.

    Args:
        arm: the arm.
        names: collects mesh files that are to be copied; None to refer to them where they are.
    """
    robot = ET.Element("robot", name=arm.name)
    base, *moved, tool = link_names(arm, "base_link", "tool")
    links = [ET.SubElement(robot, "link", name=base)]
    for row, step, name in zip(rows(arm), joint_steps(arm), moved, strict=True):
        _add_joint(robot, row.joint, step, (links[-1].attrib["name"], name))
        link = ET.SubElement(robot, "link", name=name)
        _add_inertial(link, row.joint, expressed_in(row.joint.link, row.after))
        links.append(link)
    last = links[-1].attrib["name"]
    _add_joint(robot, Joint(_unused("tool_joint", arm), "fixed"), tool_step(arm), (last, tool))
    ET.SubElement(robot, "link", name=tool)
    frames = [np.array(arm.base), *[row.after for row in rows(arm)]]
    for shape in arm.shapes or generated_shapes(arm):
        add_shape(links[shape.link], shape, frames[shape.link], names)
    return document(robot)


def link_names(arm: Arm, base: str, tool: str) -> list[str]:
    """Return names of the base, of every row's link and of the tool, no two of them equal.

    Args:
        arm: the arm.
        base: name of the base where the arm has no link names.
        tool: name of the tool in that case.
    """
    plain = [base, *[f"link_{number}" for number in range(1, len(arm.joints) + 1)], tool]
    found: list[str] = []
    for name, spare in zip(arm.link_names or plain, plain, strict=True):
        free = name if name and name not in found else spare
        while free in found:
            free += "_"
        found.append(free)
    return found


def _unused(name: str, arm: Arm) -> str:
    while name in {joint.name for joint in arm.joints}:
        name += "_"
    return name


def _add_joint(robot: ET.Element, joint: Joint, step: Array, links: tuple[str, str]) -> None:
    node = ET.SubElement(robot, "joint", name=joint.name, type=_type(joint))
    ET.SubElement(node, "parent", link=links[0])
    ET.SubElement(node, "child", link=links[1])
    add_origin(node, step)
    if joint.kind == "fixed":
        return
    ET.SubElement(node, "axis", xyz=f"0 0 {joint.direction}")
    _add_limit(node, joint)
    if joint.mimic is not None:
        _add_mimic(node, joint.mimic)
    friction = viscous_and_coulomb(joint.drive)
    if friction is not None:
        ET.SubElement(node, "dynamics", damping=numbers(friction[0]), friction=numbers(friction[1]))
    elif joint.drive is not None and joint.drive.friction is not None:
        model = joint.drive.friction.model
        node.append(ET.Comment(f" URDF cannot express the friction model {model}: left out "))


def _add_mimic(node: ET.Element, mimic: Mimic) -> None:
    values = {"multiplier": numbers(mimic.multiplier), "offset": numbers(mimic.offset)}
    ET.SubElement(node, "mimic", {"joint": mimic.joint, **values})


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
