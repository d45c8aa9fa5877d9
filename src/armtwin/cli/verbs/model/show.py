"""``armtwin show``: an arm's numbers and their sources."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from armtwin.cli.options import ArmName, Degrees, Json, Millimetres, Units
from armtwin.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from armtwin.model.arm import Arm, Joint

EXAMPLES = """
armtwin show ur10e
armtwin show desktop5 --deg --mm
armtwin show my_arm.toml --json
"""


def command(
    arm: ArmName, deg: Degrees = False, mm: Millimetres = False, json: Json = False
) -> None:
    """Show an arm: geometry, limits, masses, drives and sources.

    JSON always holds SI units and radians.
    """
    from armtwin.model.catalogue.catalogue import as_arm

    loaded = as_arm(arm)
    if json:
        fields = dataclasses.asdict(loaded)
        say_json({**fields, "dof": loaded.dof, "sources": dict(loaded.sources)})
    else:
        _print(loaded, Units(deg, mm))


def _print(arm: Arm, units: Units) -> None:
    say(f"{arm.name}: {arm.title or 'untitled'}; {arm.dof} joints, {arm.convention}")
    _geometry(arm, units)
    _limits(arm, units)
    _links(arm, units)
    _drives(arm)
    for kind, frame in (("base", arm.base), ("tool", arm.tool), ("home", arm.home)):
        if frame != type(arm).__dataclass_fields__[kind].default:
            say(f"\n{kind} [m]")
            say_table([""] * 4, frame)
    say("\nsources")
    for kind, source in arm.sources:
        say(f"  {kind}: {source}")


def _geometry(arm: Arm, units: Units) -> None:
    L, A = units.names["length"], units.names["angle"]
    if arm.convention == "screws":
        heads = ["joint", "name", "kind", "wx", "wy", "wz", "vx [m]", "vy", "vz", f"offset [{A}]"]
        rows = [
            [n, j.name, j.kind, *(j.screw or ()), j.offset / units.angle]
            for n, j in enumerate(arm.joints, 1)
        ]
    else:
        heads = ["joint", "name", "kind", f"a [{L}]", f"alpha [{A}]", f"d [{L}]", f"theta [{A}]"]
        heads += ["offset", "direction"]
        rows = [[n, j.name, j.kind, *_dh(j, units)] for n, j in enumerate(arm.joints, 1)]
    say("\ngeometry")
    say_table(heads, rows)


def _dh(joint: Joint, units: Units) -> list[float | int]:
    per_offset = units.length if joint.kind == "prismatic" else units.angle
    return [
        joint.a / units.length,
        joint.alpha / units.angle,
        joint.d / units.length,
        joint.theta / units.angle,
        joint.offset / per_offset,
        joint.direction,
    ]


def _limits(arm: Arm, units: Units) -> None:
    angle = units.names["angle"]
    say(f"\nlimits [{angle}, {angle}/s, Nm]")
    names, per_joint = ("lower", "upper", "speed", "effort"), units.joints(arm).tolist()
    rows = [
        [joint.name, *(_scaled(getattr(joint.limits, n), unit, n) for n in names)]
        for joint, unit in zip(arm.driven, per_joint, strict=True)
    ]
    say_table(("joint", *names), rows)


def _scaled(value: float | None, unit: float, name: str) -> float | None:
    return value if value is None or name == "effort" else value / unit


def _links(arm: Arm, units: Units) -> None:
    if all(joint.link.mass is None for joint in arm.joints):
        return
    say(f"\nlinks [kg, {units.names['length']}, kg m2 about the centre of mass]")
    rows: list[list[Any]] = []
    for joint in arm.joints:
        link = joint.link
        com = [None] * 3 if link.com is None else [x / units.length for x in link.com]
        rows.append([joint.name, link.mass, *com, *(link.inertia or [None] * 6)])
    say_table(
        ("joint", "mass", "com x", "com y", "com z", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"), rows
    )


def _drives(arm: Arm) -> None:
    driven = [joint for joint in arm.driven if joint.drive is not None]
    if not driven:
        return
    from armtwin.model.drive import torque_scales

    say("\ndrives")
    names = ("gear", "motor_inertia", "reducer_inertia", "torque_constant", "resistance")
    rows: list[list[Any]] = []
    scales: list[list[Any]] = []
    for joint, *shares in zip(arm.driven, *torque_scales(arm), strict=True):
        if joint.drive is None:
            continue
        friction, numbers = joint.drive.friction, [getattr(joint.drive, name) for name in names]
        rows.append([joint.name, *numbers, friction.model if friction else None])
        if friction is not None:
            scales.append([joint.name, *(round(float(share), 3) for share in shares)])
    say_table(("joint", *names, "friction"), rows)
    if scales:
        say("\nfriction compensation of direct torque control (URScript direct_torque)")
        say_table(("joint", "viscous_scale", "coulomb_scale"), scales)
