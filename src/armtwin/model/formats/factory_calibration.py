"""Factory calibrations as robot drivers write them: a pose per joint, in a YAML file.

    kinematics:
      shoulder: {x: 0, y: 0, z: 0.1519, roll: -0, pitch: 0, yaw: 1.4e-08}
      upper_arm: ...
      hash: calib_5298207865105653240

Each is the pose of a joint frame in the frame before, at q = 0; the joint turns about its z axis.
With exact right angles these are the frames of the arm's modified DH rows:

    T_i = Rx(alpha) Tx(a) Tz(d) Rz(theta)
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import ArmFileError, InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.convert import convert
from armtwin.model.formats.tree.kinematic_tree import Tree, TreeBody, TreeJoint
from armtwin.model.formats.tree.serial_chain import serial_arm
from armtwin.model.link import motion, rows
from armtwin.spatial import Array, pose

POSITION, ANGLES = ("x", "y", "z"), ("roll", "pitch", "yaw")
NEAR = 0.05
"""Tolerance of a calibrated frame against the nominal one [m, rad]; real ones stay below 0.01."""


def with_factory_calibration(arm: ArmLike, path: str | Path) -> Arm:
    """Return the arm, as screws, with the exact geometry of a factory calibration file.

    Masses, drives and limits are those of the arm; every link keeps its pose in its joint frame.

    Args:
        arm: the nominal arm, its catalogue name or its file.
        path: the YAML file.

    Raises:
        ArmFileError: no such file, or not a calibration.
        InputError: a calibration of another arm; the largest difference is named.
    """
    arm, path = as_arm(arm), Path(path)
    frames = read_calibration(path)
    nominal = convert(arm, "modified-dh")
    steps = _steps(nominal)
    if len(frames) != len(steps):
        raise InputError(
            f"{path.name} has {len(frames)} joints ({', '.join(frames)}), arm {arm.name!r} has "
            f"{len(steps)}"
        )
    _check_near(arm, path, frames, steps)
    return _chained(arm, nominal, list(frames.values()), path)


def read_calibration(path: Path) -> dict[str, Array]:
    """Return the joint frames (4, 4) of a calibration file by name, base to tip.

    Raises:
        ArmFileError: no such file, no YAML, or a joint without six numbers.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if not path.is_file():
        raise ArmFileError(f"no such calibration file: {path}")
    try:
        content = YAML(typ="safe").load(path)
    except (YAMLError, UnicodeDecodeError) as error:
        raise ArmFileError(f"{path}: not a YAML file: {' '.join(str(error).split())}") from error
    table = content.get("kinematics") if isinstance(content, dict) else None
    if not isinstance(table, dict):
        raise ArmFileError(f"{path}: has no 'kinematics' with a pose per joint")
    joints = {name: value for name, value in table.items() if isinstance(value, dict)}
    if not joints:
        raise ArmFileError(f"{path}: 'kinematics' names no joint; it holds {', '.join(table)}")
    return {str(name): _pose(path, str(name), value) for name, value in joints.items()}


def _pose(path: Path, name: str, numbers: dict[str, Any]) -> Array:
    try:
        xyz, rpy = ([float(numbers[key]) for key in keys] for keys in (POSITION, ANGLES))
    except (KeyError, TypeError, ValueError) as error:
        raise ArmFileError(
            f"{path}: joint {name!r} needs x, y, z [m] and roll, pitch, yaw [rad] as numbers; "
            f"it has {', '.join(map(str, numbers))}"
        ) from error
    if not np.isfinite([*xyz, *rpy]).all():
        raise ArmFileError(f"{path}: joint {name!r} holds a number that is not finite")
    return pose(xyz, rpy)


def _steps(arm: Arm) -> list[Array]:
    """Return the pose of every joint frame of a modified-DH arm in the one before at s = 0."""
    return [row.before @ motion(row.joint, 0.0) for row in rows(arm)]


def _check_near(arm: Arm, path: Path, frames: dict[str, Array], steps: list[Array]) -> None:
    for (name, frame), step in zip(frames.items(), steps, strict=True):
        off = float(np.abs(frame - step).max())
        if off > NEAR:
            raise InputError(
                f"{path.name}: joint {name!r} is {off:.3g} (m or rad) from where arm {arm.name!r} "
                f"has it; a calibration differs by less than {NEAR:g}; {_hint(frames)}"
            )


def _hint(frames: dict[str, Array]) -> str:
    """Return which arms of the catalogue a calibration may belong to."""
    from armtwin.model.catalogue.catalogue import arm_names, load

    near: dict[str, float] = {}
    for name in arm_names():
        steps = _steps(convert(load(name), "modified-dh"))
        if len(steps) == len(frames):
            pairs = zip(frames.values(), steps, strict=True)
            near[name] = max(float(np.abs(frame - step).max()) for frame, step in pairs)
    names = [name for name in sorted(near, key=lambda n: near[n]) if near[name] < NEAR]
    return f"it is near that of {', '.join(names)}" if names else "no arm of the catalogue has it"


def _chained(arm: Arm, nominal: Arm, frames: list[Array], path: Path) -> Arm:
    bodies: dict[str, TreeBody] = {"root": TreeBody("root", None, np.eye(4))}
    above = "root"
    for joint, frame in zip(nominal.joints, frames, strict=True):
        turning = TreeJoint(
            name=joint.name,
            kind=joint.kind,
            axis=np.array([0.0, 0.0, 1.0]),
            point=np.zeros(3),
            limits=joint.limits,
            drive=joint.drive,
            offset=joint.offset,
        )
        bodies[joint.name] = TreeBody(joint.name, above, frame, (turning,), joint.link)
        above = joint.name
    tool = {"tool": (above, np.array(nominal.tool))}
    tree = Tree(f"{arm.name}-factory", path, bodies, frames=tool, gravity=arm.gravity)
    chain = serial_arm(tree, tip="tool")
    joints = tuple(
        dataclasses.replace(
            new,
            direction=old.direction,
            compliance=old.compliance,
            error_curve=old.error_curve,
        )
        for new, old in zip(chain.joints, nominal.joints, strict=True)
    )
    sources = {**dict(arm.sources), "geometry": f"factory calibration {path.name}"}
    return chain.with_(
        joints=joints, base=nominal.base, title=arm.title, sources=tuple(sources.items())
    )
