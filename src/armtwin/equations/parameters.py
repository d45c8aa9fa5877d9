"""Symbolic arms: the same equations with the arm's constants as inputs.

``symbolic(arm, groups)`` returns a copy of the arm in which every number of the chosen groups is a
CasADi symbol, with name, unit and value. FMU parameters and calibration use it. The group
``payload`` adds a body at the flange, whose numbers start at zero; ``presliding`` adds the numbers
of the drives' presliding, which the arm is without otherwise.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armtwin import spatial
from armtwin.equations.chain import cos_sin
from armtwin.equations.kinematics.tool_pose import rpy
from armtwin.equations.symbolic import ca
from armtwin.errors import InputError
from armtwin.model.arm import Arm, Drive, Friction, Joint, Link, Matrix
from armtwin.model.drive import PRESLIDING, SPEEDS

ROUNDING = 1e-15
"""Largest difference of two rotations' entries that is rounding."""
GROUPS = (
    "geometry",
    "offsets",
    "base",
    "tool",
    "gravity",
    "masses",
    "drives",
    "payload",
    "presliding",
)
ABOVE_ZERO = 1e-12
"""Least value of a number that must be positive."""
POSITIVE = (
    "gear",
    "torque_constant",
    "motor_constant",
    "back_emf_ratio",
    "resistance",
    *SPEEDS,
    *PRESLIDING,
)
AXES = ("xx", "yy", "zz", "xy", "xz", "yz")
"""Order of the six moments of inertia."""
FRICTION_UNITS = {
    "viscous": "N.m.s/rad",
    "smoothing": "rad/s",
    "stribeck_speed": "rad/s",
    "rise_speed": "rad/s",
    "load": "1",
    "presliding": "rad",
    "yield_exponent": "1",
}


@dataclass(frozen=True)
class Parameter:
    """One number of an arm: name (joints count from 1), unit, value, meaning, least value.

    ``tunable`` ones may change while the arm works. Consecutive ones of the same ``array`` are the
    entries of one vector.
    """

    name: str
    unit: str
    value: float
    meaning: str
    least: float | None = None
    tunable: bool = False
    array: str = ""


@dataclass(frozen=True)
class SymbolicArm:
    """A symbolic arm, its symbols as one vector, and their parameters."""

    arm: Arm
    symbols: Any
    parameters: tuple[Parameter, ...]

    @property
    def values(self) -> np.ndarray:
        """The values, in the order of ``symbols``."""
        return np.array([parameter.value for parameter in self.parameters])


@dataclass
class _Symbols:
    """Creates symbols and records their parameters."""

    symbols: list[Any] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)

    def new(self, name: str, unit: str, value: float, meaning: str, **more: Any) -> Any:
        """Return a new symbol, after listing its parameter.

        Args:
            name: of the parameter.
            unit: as FMI writes it.
            value: the arm's number, in this unit.
            meaning: what it is, in a few words.
            more: further fields of the parameter.
        """
        self.symbols.append(ca.SX.sym(name))
        self.parameters.append(Parameter(name, unit, float(value), meaning, **more))
        return self.symbols[-1]


def symbolic(arm: Arm, groups: tuple[str, ...] = GROUPS[:-2]) -> SymbolicArm:
    """Return the arm with the numbers of ``groups`` as symbols; a DH arm is needed for geometry."""
    unknown, needs_rows = set(groups) - set(GROUPS), {"geometry", "payload"} & set(groups)
    if unknown or (needs_rows and arm.convention == "screws"):
        raise InputError(
            f"parameter groups are {', '.join(GROUPS)}; geometry and payload need a DH arm; got "
            f"groups {groups} for convention {arm.convention!r}; convert the arm first"
        )
    new = _Symbols()
    joints = tuple(_joint(new, joint, i, groups) for i, joint in enumerate(arm.joints, 1))
    changes: dict[str, Any] = {"joints": joints}
    for name in ("base", "tool"):
        if name in groups:
            changes[name] = _frame(new, name, getattr(arm, name))
    if "gravity" in groups:
        labels = zip("xyz", arm.gravity, strict=True)
        changes["gravity"] = tuple(
            new.new(
                f"g{axis}", "m/s2", g, f"free fall along base {axis}", tunable=True, array="gravity"
            )
            for axis, g in labels
        )
    if "payload" in groups:
        changes["joints"] += (_payload(new),)
    return SymbolicArm(
        dataclasses.replace(arm, **changes), ca.vertcat(*new.symbols), tuple(new.parameters)
    )


def _joint(new: _Symbols, joint: Joint, i: int, groups: tuple[str, ...]) -> Joint:
    changes: dict[str, Any] = {}
    if "geometry" in groups:
        for name, unit in (("a", "m"), ("alpha", "rad"), ("d", "m"), ("theta", "rad")):
            changes[name] = new.new(
                f"{name}{i}", unit, getattr(joint, name), f"DH {name} of row {i}"
            )
    if "offsets" in groups and joint.kind != "fixed":
        unit = "rad" if joint.kind == "revolute" else "m"
        changes["offset"] = new.new(f"offset{i}", unit, joint.offset, f"zero of joint {i}")
    if "masses" in groups and joint.link.mass is not None:
        changes["link"] = _link(new, joint.link, i)
    if "drives" in groups and joint.drive is not None:
        changes["drive"] = _drive(new, joint.drive, i, "presliding" in groups)
    return dataclasses.replace(joint, **changes)


def _payload(new: _Symbols) -> Joint:
    """Return a fixed row at the flange whose link is the payload, of ten symbols that are zero."""
    mass: Any = new.new("payload_mass", "kg", 0.0, "mass of the payload", least=0.0, tunable=True)
    com: Any = tuple(
        new.new(
            f"payload_{axis}", "m", 0.0, f"centre of the payload in the flange frame, {axis}",
            tunable=True, array="payload_com",
        )
        for axis in "xyz"
    )  # fmt: skip
    inertia: Any = tuple(
        new.new(
            f"payload_I{axes}", "kg.m2", 0.0, f"inertia of the payload about its centre, {axes}",
            least=0.0 if axes[0] == axes[1] else None, tunable=True, array="payload_inertia",
        )
        for axes in AXES
    )  # fmt: skip
    return Joint("payload", kind="fixed", link=Link(mass, com, inertia))


def _link(new: _Symbols, link: Link, i: int) -> Link:
    mass: Any = new.new(f"m{i}", "kg", link.mass or 0.0, f"mass of link {i}", least=0.0)
    centre = zip("xyz", link.com or (0, 0, 0), strict=True)
    com: Any = tuple(
        new.new(f"c{axis}{i}", "m", c, f"centre of mass of link {i}, {axis}") for axis, c in centre
    )
    moments = zip(AXES, link.inertia or (0,) * 6, strict=True)
    inertia: Any = tuple(
        new.new(f"I{axes}{i}", "kg.m2", value, f"inertia of link {i} about its centre, {axes}")
        for axes, value in moments
    )
    return dataclasses.replace(link, mass=mass, com=com, inertia=inertia)


def _drive(new: _Symbols, drive: Drive, i: int, presliding: bool) -> Drive:
    units = {
        "gear": "1",
        "motor_inertia": "kg.m2",
        "reducer_inertia": "kg.m2",
        "torque_constant": "N.m/A",
        "motor_constant": "N.m/W0.5",
        "back_emf_ratio": "1",
        "resistance": "Ohm",
    }
    changes: dict[str, Any] = {}
    for name, unit in units.items():
        value = getattr(drive, name)
        if value is not None:
            changes[name] = new.new(
                f"{name}{i}", unit, value, f"{name} of drive {i}", **_bounds(name)
            )
    if drive.friction is not None:
        parameters: Any = tuple(
            (
                name,
                new.new(
                    f"{name}{i}", FRICTION_UNITS.get(name, "N.m"), value, f"friction {name}",
                    **_bounds(name),
                ),
            )
            for name, value in drive.friction.parameters
            if presliding or name not in PRESLIDING
        )  # fmt: skip
        changes["friction"] = Friction(drive.friction.model, parameters, drive.friction.side)
    return dataclasses.replace(drive, **changes)


def _bounds(name: str) -> dict[str, Any]:
    """Return least value and tunability of a drive's number."""
    return {"least": ABOVE_ZERO if name in POSITIVE else 0.0, "tunable": True}


def _angles(R: np.ndarray) -> np.ndarray:
    """Return roll, pitch, yaw that give R back to rounding, with roll = 0 where that is possible.

    ``rpy`` sets roll to 0 within 1e-9 of a pitch of 90 degrees, which is not exact there.
    """
    plain = np.array(ca.DM(rpy(ca.DM(R.tolist())))).ravel()
    exact = np.abs(spatial.rotation_from_rpy(*plain) - R).max() <= ROUNDING
    return plain if exact else spatial.rpy_from_rotation(R)


def _frame(new: _Symbols, name: str, T: Matrix) -> Any:
    """Return a 4x4 frame of six symbols: position and roll, pitch, yaw."""
    angles = _angles(np.array([row[:3] for row in T[:3]], float))
    position = [
        new.new(
            f"{name}_{k}", "m", T[i][3], f"{name} frame, {k}",
            tunable=True, array=f"{name}_position",
        )
        for i, k in enumerate("xyz")
    ]  # fmt: skip
    labels = zip(("roll", "pitch", "yaw"), angles, strict=True)
    roll, pitch, yaw = (
        new.new(f"{name}_{k}", "rad", v, f"{name} frame, {k}", tunable=True, array=f"{name}_rpy")
        for k, v in labels
    )
    turns = (
        spatial.rotation_z(*cos_sin(yaw)),
        spatial.rotation_y(*cos_sin(pitch)),
        spatial.rotation_x(*cos_sin(roll)),
    )
    Rz, Ry, Rx = (ca.vertcat(*[ca.horzcat(*row) for row in turn]) for turn in turns)
    R = Rz @ Ry @ Rx
    rows = [(R[i, 0], R[i, 1], R[i, 2], position[i]) for i in range(3)]
    return (*rows, (0, 0, 0, 1))
