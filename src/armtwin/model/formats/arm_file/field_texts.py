"""Meaning and unit of each field of an arm file, for the JSON schema, docs and new files."""

from __future__ import annotations

from armtwin.model.drive import PARAMETERS

TEXTS: dict[str, dict[str, str]] = {
    "ArmTable": {
        "name": "short name of the arm",
        "title": "full name, as shown in lists and reports",
        "convention": "how the geometry of the joints is given: standard DH, modified DH (Craig) "
        "or screws (product of exponentials)",
        "gravity": "acceleration of free fall in the base frame [m/s2]; changes with the mounting",
        "sources": "where each kind of number comes from: geometry, limits, masses, inertias, "
        "drives, radii",
        "base": "pose of frame 0 in the base frame: the mounting",
        "tool": "pose of the tool in the last frame (the flange)",
        "home": "pose of the last frame where every joint variable is zero; screws only",
        "joints": "rows of the chain from base to tool",
        "link_names": "names of the base, of every row's link and of the tool",
        "shapes": "what the links look like, and what they collide with",
    },
    "PoseTable": {
        "xyz": "position [m]",
        "rpy": "roll, pitch, yaw: turns about the fixed axes x, y, z, in this order [rad]",
        "matrix": "the pose as a 4x4 matrix, in place of xyz and rpy",
    },
    "JointTable": {
        "name": "name of the joint; every joint has its own",
        "kind": "fixed rows take no joint variable",
        "a": "DH: distance along x [m]",
        "alpha": "DH: turn about x [rad]",
        "d": "DH: distance along z [m]; a prismatic joint adds its variable",
        "theta": "DH: turn about z [rad]; a revolute joint adds its variable",
        "screw": "screws: omega and v in the base frame, where every joint variable is zero",
        "offset": "joint variable s = direction * q + offset [rad | m]",
        "direction": "-1 where the robot's reading turns against z",
        "compliance": "elasticity of the gear under gravity torque [rad/Nm]",
        "limits": "bounds of the joint",
        "link": "the rigid body that the joint moves, in its own frame",
        "drive": "motor, gear and friction",
        "error_curve": "periodic error of the joint's reading",
        "mimic": "coupling to another joint, which the equations do not impose",
    },
    "MimicTable": {
        "joint": "name of the joint that is followed",
        "multiplier": "q = multiplier * q of that joint + offset",
        "offset": "see multiplier [rad | m]",
    },
    "LimitsTable": {
        "lower": "lowest joint position q [rad | m]",
        "upper": "highest joint position q [rad | m]",
        "speed": "largest speed [rad/s | m/s]",
        "acceleration": "largest acceleration [rad/s2 | m/s2]",
        "effort": "largest torque or force at the joint [Nm | N]",
    },
    "LinkTable": {
        "mass": "mass [kg]; dynamics needs mass, com and inertia of every driven joint",
        "com": "centre of mass in the link frame [m]",
        "inertia": "inertia about the centre of mass, in the axes of the link frame",
        "radius": "outer radius for drawing and clearance [m]",
    },
    "InertiaTable": {
        "xx": "moment of inertia about x [kg m2]",
        "yy": "moment of inertia about y [kg m2]",
        "zz": "moment of inertia about z [kg m2]",
        "xy": "element of the matrix, not the product of inertia with its sign changed [kg m2]",
        "xz": "likewise [kg m2]",
        "yz": "likewise [kg m2]",
    },
    "DriveTable": {
        "gear": "turns of the motor per turn of the joint",
        "motor_inertia": "inertia of the rotor on the motor side [kg m2]",
        "reducer_inertia": "inertia of the gear on the motor side [kg m2]",
        "torque_constant": "motor torque per current [Nm/A]",
        "motor_constant": "torque constant per square root of the resistance [Nm/W^0.5]",
        "back_emf_ratio": "torque constant over back-emf constant",
        "resistance": "resistance of the winding [Ohm]",
        "friction": "friction law and its parameters",
    },
    "FrictionTable": {
        "model": "friction law: " + ", ".join(PARAMETERS),
        "side": "whether the parameters hold at the motor or at the joint",
    },
    "ShapeTable": {
        "link": "row of the chain whose link carries the solid, from 1; 0 is the base",
        "solid": "kind of the solid",
        "use": "for drawing or for collisions",
        "name": "name of the solid",
        "size": "box: edge lengths along x, y, z [m]",
        "radius": "cylinder, capsule, sphere: radius [m]",
        "length": "cylinder, capsule: length along z, without a capsule's ends [m]",
        "radii": "ellipsoid: half axes along x, y, z [m]",
        "file": "mesh: the file (.stl, .dae, .obj, .glb), relative to the arm file",
        "data": "mesh: its content in base64; file is then only its name",
        "scale": "mesh: factors along x, y, z that make metres",
        "xyz": "position in the link frame, in frame 0 for the base [m]",
        "rpy": "roll, pitch, yaw: turns about the fixed axes x, y, z, in this order [rad]",
        "matrix": "the pose as a 4x4 matrix, in place of xyz and rpy",
        "material": "name of the material",
        "colour": "red, green, blue and opacity, 0 to 1",
        "texture": "image file, relative to the arm file; drawn by its mean colour",
    },
    "ErrorCurveTable": {
        "cosine": "coefficients a_1, a_2, ... of the cosines [rad]",
        "sine": "coefficients b_1, b_2, ... of the sines [rad]",
        "visited": "ranges of the joint that the curve was estimated on [rad]",
    },
}
"""For every table of ``toml_schema`` by its class, its fields."""

FRICTION: dict[str, str] = {
    "viscous": "per speed [Nms/rad]",
    "coulomb": "level of dry friction [Nm]",
    "coulomb_direct": "level of dry friction where the motor drives the load [Nm]",
    "coulomb_reverse": "level of dry friction where the load drives the motor [Nm]",
    "static": "level of dry friction at rest [Nm]",
    "stribeck_speed": "speed at which friction has fallen from static to Coulomb [rad/s]",
    "load": "share of the load torque",
    "rise": "level that friction rises by with speed [Nm]",
    "rise_speed": "speed over which it rises [rad/s]",
    "smoothing": "speed over which friction changes sign [rad/s]; every law takes it",
    "presliding": "displacement at which a joint that starts or reverses slides fully [rad]; every "
    "law takes it, with yield_exponent; without it dry friction follows the sign of the speed",
    "yield_exponent": "how the displacements d (i/6)^m of the six presliding elements are spread: "
    "1 evenly, more: stiffer at first; with presliding",
}
"""Parameters of the friction laws, at the motor or the joint side."""


def text_of(table: str, field: str, otherwise: str | None = None) -> str:
    """Return what a field means: the text here, or the one its model gives.

    Args:
        table: class name of the table's model.
        field: name of the field.
        otherwise: the description in the model.
    """
    return TEXTS.get(table, {}).get(field) or otherwise or ""
