"""Flexible joints in MuJoCo: a rotor beside every link, with a spring between them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from armtwin.dynamics.flexible_joints import Flexibility, rotor_inertias
from armtwin.model.arm import Arm

LIGHT = 1e-9
"""Mass of a rotor's body and its own inertia, which MuJoCo requires to be positive [kg, kg m2]."""


def flexible_mjcf(arm: Arm, flexibility: Flexibility, mjcf: str) -> str:
    """Return the arm as MJCF with a rotor per joint.

    Rotors are bodies of the world that turn about (or slide along) their own axis, so that gravity
    and the motion of the links do not act on them, and their inertia is the joint's armature.
    Friction and the motor move from the link's joint to the rotor's. A tendon of length
    ``theta - q`` is the spring with its damper. Positions are those of the links, then the rotors.

    Args:
        arm: an arm with masses and rotors.
        flexibility: stiffness and damping of the joints.
        mjcf: the rigid arm as ``write_mjcf`` gives it.
    """
    (stiffness, damping), inertias = flexibility.of(arm), rotor_inertias(arm)
    root = ET.fromstring(mjcf)
    world, tendons = root.find("worldbody"), ET.SubElement(root, "tendon")
    assert world is not None
    motors = {motor.get("joint"): motor for motor in root.iter("motor")}
    links = {joint.get("name"): joint for joint in world.iter("joint")}
    for k, driven in enumerate(arm.driven):
        link, rotor = links[driven.name], f"{driven.name}_rotor"
        body = ET.SubElement(world, "body", name=f"rotor_{k + 1}", gravcomp="1")
        ET.SubElement(
            body, "inertial", pos="0 0 0", mass=repr(LIGHT), diaginertia=" ".join([repr(LIGHT)] * 3)
        )
        moved: dict[str, str] = {}
        for name in ("damping", "frictionloss"):
            if name in link.attrib:
                moved[name] = link.attrib.pop(name)
        link.attrib.pop("armature", None)
        moved |= {"name": rotor, "type": link.get("type", "hinge"), "axis": "0 0 1"}
        ET.SubElement(body, "joint", moved, armature=repr(float(inertias[k] - LIGHT)))
        tendon = ET.SubElement(
            tendons, "fixed", name=f"spring_{k + 1}", springlength="0",
            stiffness=repr(float(stiffness[k])), damping=repr(float(damping[k])),
        )  # fmt: skip
        ET.SubElement(tendon, "joint", joint=driven.name, coef="-1")
        ET.SubElement(tendon, "joint", joint=rotor, coef="1")
        motors[driven.name].set("joint", rotor)
    return ET.tostring(root, encoding="unicode")
