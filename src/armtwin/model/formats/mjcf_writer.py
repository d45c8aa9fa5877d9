"""Writing MJCF: a body per row in its joint frame, a motor per joint, and a clean scene."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import numpy as np

from armtwin.errors import ModelWarning
from armtwin.model.appearance.generated import GENERATED
from armtwin.model.arm import Arm, Joint, Link
from armtwin.model.drive import armature, viscous_and_coulomb
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.formats.meshes.mjcf_assets import MjcfAssets
from armtwin.model.formats.meshes.mjcf_geoms import COLLISION_GROUP, add_geoms, pose_attributes
from armtwin.model.formats.urdf_writer import link_names
from armtwin.model.formats.xml import bounds, document, known, numbers, unlimited
from armtwin.model.geometry import LinkShape
from armtwin.model.link import (
    Row,
    expressed_in,
    inertia_matrix,
    joint_steps,
    rows,
    tool_step,
)
from armtwin.model.shapes import Bar, bars
from armtwin.spatial import Array

COLOURS = ("0.75 0.77 0.80 1", "0.35 0.45 0.60 1")
SMALLEST = 1e-12
"""Mass [kg] and inertia [kg m2] that MuJoCo gives links without any: it needs them positive."""
TYPES = {"revolute": "hinge", "prismatic": "slide"}


def write_mjcf(
    arm: Arm,
    *,
    shapes: Sequence[LinkShape] | None = None,
    names: AssetNames | None = None,
) -> str:
    """Return the arm as MJCF text for MuJoCo; the site ``tool`` is the tool frame.

    Bodies have the arm's link names, where it has them, or ``link_i``; a body has the joint frame
    of its row, and ``q`` means the same. Motors carry the joints' names and act on the joint side
    [Nm | N]. Armature is ``(J_motor + J_reducer) gear^2``; damping and friction loss come from a
    viscous-coulomb friction, taken to the joint side. Where a link's mass, centre of mass or
    inertia is unknown, MuJoCo derives them from capsules along the link at 1000 kg/m3, and a
    comment says so.

    Args:
        arm: the arm.
        shapes: what bodies look like and collide with, without mass; None for capsules along the
            links, which do not collide.
        names: collects the mesh files of shapes; without it meshes are left out.

    Warns:
        ModelWarning: an inertia that violates the triangle inequality; MuJoCo rejects such a body,
            so ``balanceinertia`` makes it replace the three moments by their mean. Meshes that
            cannot be read.
    """
    root = ET.Element("mujoco", model=arm.name)
    ET.SubElement(root, "compiler", _compiler(arm))
    ET.SubElement(root, "option", gravity=numbers(*arm.gravity))
    default = ET.SubElement(root, "default")
    ET.SubElement(default, "geom", contype="0", conaffinity="0")
    assets = MjcfAssets(ET.SubElement(root, "asset"), names)
    world = ET.SubElement(root, "worldbody")
    ET.SubElement(world, "light", pos="0 0 3", dir="0 0 -1", directional="true")
    bodies, capsules = [world], bars(arm)
    if shapes is None:
        _add_bars(world, capsules[0], {"rgba": COLOURS[0]})
    steps, labels = joint_steps(arm), link_names(arm, "world", "tool")
    for number, (row, step) in enumerate(zip(rows(arm), steps, strict=True), 1):
        body = ET.SubElement(bodies[-1], "body", {"name": labels[number], **pose_attributes(step)})
        hidden = shapes is not None and known(row.joint.link)
        _fill(body, arm, row, [] if hidden else capsules[number], _bar_look(number, shapes))
        bodies.append(body)
    place = pose_attributes(tool_step(arm))
    ET.SubElement(bodies[-1], "site", {"name": "tool", "size": "0.005", **place})
    _add_shapes(arm, shapes or (), bodies, assets)
    if not len(assets.element):
        root.remove(assets.element)
    _add_couplings(root, arm)
    _add_motors(ET.SubElement(root, "actuator"), arm)
    return document(root)


def _add_couplings(root: ET.Element, arm: Arm) -> None:
    coupled = [joint for joint in arm.driven if joint.mimic is not None]
    equality = ET.SubElement(root, "equality") if coupled else root
    for joint in coupled:
        assert joint.mimic is not None
        polynomial = numbers(joint.mimic.offset, joint.mimic.multiplier, 0, 0, 0)
        names = {"joint1": joint.name, "joint2": joint.mimic.joint}
        ET.SubElement(equality, "joint", {**names, "polycoef": polynomial})


def _bar_look(number: int, shapes: Sequence[LinkShape] | None) -> dict[str, str]:
    """Return the look of a row's capsules; beside shapes they are hidden and give only masses."""
    if shapes is None:
        return {"rgba": COLOURS[number % len(COLOURS)]}
    return {"group": COLLISION_GROUP}


def _add_shapes(
    arm: Arm, shapes: Sequence[LinkShape], bodies: list[ET.Element], assets: MjcfAssets
) -> None:
    """Add the shapes to the bodies; those of the base to the world.

    Args:
        arm: the arm.
        shapes: the shapes.
        bodies: elements of the world and of every row.
        assets: meshes and materials of the file.
    """
    frames = [np.array(arm.base), *[row.after for row in rows(arm)]]
    for shape in shapes:
        add_geoms(bodies[shape.link], shape, frames[shape.link], assets)
    if assets.left_out:
        reasons = "; ".join(f"{name}: {why}" for name, why in assets.left_out.items())
        message = f"arm {arm.name!r}: meshes that are left out: {reasons}"
        warnings.warn(message, ModelWarning, stacklevel=3)


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


def _fill(body: ET.Element, arm: Arm, row: Row, shape: list[Bar], look: dict[str, str]) -> None:
    joint = row.joint
    if known(joint.link):
        _add_inertial(body, expressed_in(joint.link, row.after))
    elif joint.kind == "fixed" and any(known(j.link) for j in arm.driven):
        look = {**look, "mass": "0"}
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
    for number, bar in enumerate(found, 1):
        if bar.length > 0:
            place = {"type": "capsule", "fromto": numbers(*bar.start, *bar.end)}
        else:
            place = {"type": "sphere", "pos": numbers(*bar.start)}
        name = {"name": f"{GENERATED}{node.get('name', 'base')}_{number}"}
        ET.SubElement(node, "geom", {**name, **place, "size": numbers(bar.radius), **look})


def _add_motors(actuator: ET.Element, arm: Arm) -> None:
    for joint in arm.driven:
        motor = ET.SubElement(actuator, "motor", name=joint.name, joint=joint.name)
        if joint.limits.effort is not None:
            motor.set("ctrlrange", numbers(-joint.limits.effort, joint.limits.effort))
