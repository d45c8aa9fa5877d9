"""Writing MJCF: a body per row in its joint frame, a motor per joint, and a clean scene."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree as ET

import numpy as np

from armtwin.errors import ModelWarning
from armtwin.model.arm import Arm, Joint, Link
from armtwin.model.drive import armature, viscous_and_coulomb
from armtwin.model.formats.xml import bounds, document, known, numbers, unlimited
from armtwin.model.link import (
    Row,
    inertia_matrix,
    joint_steps,
    rows,
    seen_from,
    tool_step,
    without_noise,
)
from armtwin.model.shapes import Bar, bars
from armtwin.spatial import Array

COLOURS = ("0.75 0.77 0.80 1", "0.35 0.45 0.60 1")
SMALLEST = 1e-12
TYPES = {"revolute": "hinge", "prismatic": "slide"}


def write_mjcf(arm: Arm) -> str:
    """Return the arm as MJCF text for MuJoCo; the site ``tool`` is the tool frame.

    Body ``link_i`` has the joint frame of row i, and ``q`` means the same. Motors carry the
    joints' names and act on the joint side [Nm | N]. Armature is ``(J_motor + J_reducer) gear^2``;
    damping and friction loss come from a viscous-coulomb friction, taken to the joint side. Bodies
    are capsules without collisions. Where a link's mass, centre of mass or inertia is unknown,
    MuJoCo derives them from its capsules at 1000 kg/m3, and a comment says so.

    Warns:
        ModelWarning: an inertia that violates the triangle inequality; MuJoCo rejects such a body,
            so ``balanceinertia`` makes it replace the three moments by their mean.
    """
    root = ET.Element("mujoco", model=arm.name)
    ET.SubElement(root, "compiler", _compiler(arm))
    ET.SubElement(root, "option", gravity=numbers(*arm.gravity))
    default = ET.SubElement(root, "default")
    ET.SubElement(default, "geom", contype="0", conaffinity="0")
    world = ET.SubElement(root, "worldbody")
    ET.SubElement(world, "light", pos="0 0 3", dir="0 0 -1", directional="true")
    shapes = bars(arm)
    _add_bars(world, shapes[0], {"rgba": COLOURS[0]})
    body = world
    for number, (row, step) in enumerate(zip(rows(arm), joint_steps(arm), strict=True), 1):
        body = ET.SubElement(body, "body", {"name": f"link_{number}", **_pose(step)})
        _fill(body, arm, row, shapes[number], COLOURS[number % len(COLOURS)])
    ET.SubElement(body, "site", {"name": "tool", "size": "0.005", **_pose(tool_step(arm))})
    _add_motors(ET.SubElement(root, "actuator"), arm)
    return document(root)


def _compiler(arm: Arm) -> dict[str, str]:
    """Return compiler settings, with the two repairs that only some arms need."""
    settings = {"angle": "radian", "autolimits": "true"}
    driven = [joint for joint in arm.driven if known(joint.link)]
    moments = {joint.name: _moments(joint.link) for joint in driven}
    if any(j.link.mass == 0 or moments[j.name][0] < SMALLEST for j in driven):
        settings |= {"boundmass": repr(SMALLEST), "boundinertia": repr(SMALLEST)}
    odd = [name for name, (a, b, c) in moments.items() if a + b < c * (1 - 1e-9)]
    if odd:
        settings["balanceinertia"] = "true"
        message = (
            f"arm {arm.name!r}: the inertia of {', '.join(odd)} violates the triangle inequality; "
            "MuJoCo rejects such a body and will replace its moments by their mean (balanceinertia)"
        )
        warnings.warn(message, ModelWarning, stacklevel=3)
    return settings


def _moments(link: Link) -> Array:
    """Return the principal moments of inertia, smallest first."""
    return np.asarray(np.linalg.eigvalsh(inertia_matrix(link.inertia or (0, 0, 0, 0, 0, 0))))


def _pose(T: Array) -> dict[str, str]:
    """Return position and quaternion (w, x, y, z) attributes; the identity needs none."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = without_noise(Rotation.from_matrix(T[:3, :3]).as_quat())
    found = {}
    if np.abs(T[:3, 3]).max() > 0:
        found["pos"] = numbers(*without_noise(T[:3, 3]))
    if np.abs(T[:3, :3] - np.eye(3)).max() > 0:
        found["quat"] = numbers(w, x, y, z)
    return found


def _fill(body: ET.Element, arm: Arm, row: Row, shape: list[Bar], colour: str) -> None:
    joint, look = row.joint, {"rgba": colour}
    if known(joint.link):
        _add_inertial(body, seen_from(joint.link, row.after))
    elif joint.kind == "fixed" and any(known(j.link) for j in arm.driven):
        look["mass"] = "0"
    else:
        text = " mass, centre of mass or inertia unknown: taken from the capsules at 1000 kg/m3 "
        body.append(ET.Comment(text))
    if joint.kind != "fixed":
        _add_joint(body, joint)
    _add_bars(body, shape, look)


def _add_inertial(body: ET.Element, link: Link) -> None:
    ET.SubElement(
        body,
        "inertial",
        pos=numbers(*link.com or ()),
        mass=numbers(link.mass or 0.0),
        fullinertia=numbers(*link.inertia or ()),
    )


def _add_joint(body: ET.Element, joint: Joint) -> None:
    node = ET.SubElement(
        body, "joint", name=joint.name, type=TYPES[joint.kind], axis=f"0 0 {joint.direction}"
    )
    if not unlimited(joint):
        node.set("range", numbers(*bounds(joint)))
    if armature(joint.drive):
        node.set("armature", numbers(armature(joint.drive)))
    friction = viscous_and_coulomb(joint.drive)
    if friction is not None:
        node.set("damping", numbers(friction[0]))
        node.set("frictionloss", numbers(friction[1]))
    elif joint.drive is not None and joint.drive.friction is not None:
        model = joint.drive.friction.model
        body.append(ET.Comment(f" MJCF cannot express the friction model {model}: left out "))


def _add_bars(node: ET.Element, found: list[Bar], look: dict[str, str]) -> None:
    for bar in found:
        if bar.length > 0:
            place = {"type": "capsule", "fromto": numbers(*bar.start, *bar.end)}
        else:
            place = {"type": "sphere", "pos": numbers(*bar.start)}
        ET.SubElement(node, "geom", {**place, "size": numbers(bar.radius), **look})


def _add_motors(actuator: ET.Element, arm: Arm) -> None:
    for joint in arm.driven:
        motor = ET.SubElement(actuator, "motor", name=joint.name, joint=joint.name)
        if joint.limits.effort is not None:
            motor.set("ctrlrange", numbers(-joint.limits.effort, joint.limits.effort))
