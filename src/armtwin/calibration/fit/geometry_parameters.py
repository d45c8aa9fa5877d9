"""The parameters that a calibration may change: DH rows, tilts, base and tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from armtwin.calibration.fit.tilt import is_plain, is_tilt
from armtwin.model.arm import Arm, Joint

Group = Literal["base", "tool", "offsets", "lengths", "twists", "compliance", "curves"]
AXES = ("x", "y", "z", "roll", "pitch", "yaw")


@dataclass(frozen=True)
class GeometryParameter:
    """A parameter that a calibration may change.

    Attributes:
        name: rows count from 1: ``d4``, ``theta2``, ``beta3``, ``tool_x``; with
            several placements ``tool_x@2``.
        unit: m, rad or rad/Nm.
        nominal: its value before; 0 for frames, which are given as changes, and for tilts.
        group: kind of parameter.
        index: index in the equation's vector; for compliances and curves, that of the joint.
        placement: number of the placement that a base's or tool's number belongs to, from 0.
    """

    name: str
    unit: str
    nominal: float
    group: Group
    index: int
    placement: int = 0


def chain_parameters(arm: Arm) -> list[GeometryParameter]:
    """Return the DH parameters and tilts of an arm."""
    parameters: list[GeometryParameter] = []
    number = 0
    for row, joint in enumerate(arm.joints):
        number += is_plain(joint)
        if is_tilt(arm, joint):
            tilt = GeometryParameter(f"beta{number}", "rad", joint.alpha, "twists", 4 * row + 1)
            parameters.append(tilt)
        elif is_plain(joint):
            parameters += _row_parameters(joint, number, 4 * row)
    return parameters


def _row_parameters(joint: Joint, number: int, first: int) -> list[GeometryParameter]:
    return [
        GeometryParameter(f"a{number}", "m", joint.a, "lengths", first),
        GeometryParameter(f"alpha{number}", "rad", joint.alpha, "twists", first + 1),
        GeometryParameter(f"d{number}", "m", joint.d, "lengths", first + 2),
        GeometryParameter(f"theta{number}", "rad", joint.theta, "offsets", first + 3),
    ]


def frame_parameters(arm: Arm, placements: Sequence[str]) -> list[GeometryParameter]:
    """Return the parameters of base and tool of every placement."""
    frames: tuple[Literal["base", "tool"], ...] = ("base", "tool")
    pairs = [(frame, axis) for frame in frames for axis in AXES]
    first = 4 * len(arm.joints)
    parameters: list[GeometryParameter] = []
    for number, label in enumerate(placements):
        suffix = f"@{label}" if len(placements) > 1 else ""
        for index, (frame, axis) in enumerate(pairs):
            name, unit = f"{frame}_{axis}{suffix}", "m" if len(axis) == 1 else "rad"
            parameters.append(GeometryParameter(name, unit, 0.0, frame, first + index, number))
    return parameters
