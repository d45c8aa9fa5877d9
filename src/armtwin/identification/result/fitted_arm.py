"""The improved arm: a vector written back into links, drives and friction."""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.errors import MissingDataError
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.parameters.feasible import to_link
from armtwin.identification.parameters.prior import gear_power
from armtwin.identification.parameters.vector import ParameterLayout
from armtwin.model.arm import Arm, Drive, Friction, Joint
from armtwin.model.checks import check_arm
from armtwin.model.drive import PARAMETERS, torque_per_ampere
from armtwin.model.link import joined
from armtwin.spatial import Array


def gear_ratios(arm: Arm, settings: IdentifyOptions) -> Array:
    """Return the ratio of every drive (dof,); the settings' where the file has no drive."""
    return np.array([settings.gear if j.drive is None else j.drive.gear for j in arm.driven])


def known_gains(arm: Arm) -> Array:
    """Return the file's gains (dof,) [A/Nm at the joint], NaN where it has no torque constant."""
    return 1 / torque_per_ampere(arm)


def require_gains(arm: Arm) -> None:
    """Raise MissingDataError where a current is to be explained without any torque constant."""
    missing = [j.name for j, gain in zip(arm.driven, known_gains(arm), strict=True) if gain != gain]
    if missing:
        raise MissingDataError(
            f"arm {arm.name!r} has no torque constant for {', '.join(missing)}, and 'gains' is not "
            "among the unknowns: identify the drives first, or add them to the arm's file"
        )


def built_arm(
    arm: Arm, layout: ParameterLayout, vector: Array, kind: str, settings: IdentifyOptions
) -> Arm:
    """Return the arm with what was estimated; everything else stays as it was.

    A payload is joined to the last link. ``kind`` is the signal that the gains belong to.
    """
    gears, joints, number = gear_ratios(arm, settings), [], 0
    for row, joint in enumerate(arm.joints):
        changes: dict[str, object] = {}
        pi = vector[10 * row : 10 * row + 10]
        if "links" in settings.unknown and pi[0] > 0:
            changes["link"] = to_link(pi, joint.link)
        if joint.kind != "fixed":
            changes["drive"] = _drive(joint, number, layout, vector, kind, gears, settings)
            number += 1
        joints.append(dataclasses.replace(joint, **changes))  # type: ignore[arg-type]
    if "payload" in settings.unknown and vector[layout.payload][0] > 0:
        joints[-1] = _loaded(joints[-1], vector[layout.payload])
    built = arm.with_(joints=tuple(joints))
    if "mounting" in settings.unknown:
        built = built.with_(gravity=tuple(vector[layout.gravity].tolist()))
    check_arm(built)
    return built


def _loaded(last: Joint, payload: Array) -> Joint:
    body = joined([last.link, to_link(payload, last.link)])
    return dataclasses.replace(last, link=dataclasses.replace(body, radius=last.link.radius))


def _drive(
    joint: Joint,
    j: int,
    layout: ParameterLayout,
    vector: Array,
    kind: str,
    gears: Array,
    settings: IdentifyOptions,
) -> Drive | None:
    """Return a joint's drive with its estimated constants; None where nothing is known of it."""
    unknown, gear = settings.unknown, float(gears[j])
    drive = joint.drive or Drive(gear=gear)
    if "rotors" in unknown:
        total = float(vector[layout.rotors][j]) / gear**2
        reducer = min(drive.reducer_inertia, total)
        drive = dataclasses.replace(
            drive, reducer_inertia=reducer, motor_inertia=max(0.0, total - reducer)
        )
    if kind == "current" and "gains" in unknown:
        constant = float(np.exp(-vector[layout.gains][j])) / gear
        drive = dataclasses.replace(drive, torque_constant=constant)
    if kind != "target" and "friction" in unknown:
        drive = dataclasses.replace(drive, friction=_friction(j, layout, vector, kind, drive))
    return None if drive == Drive(gear=gear) and joint.drive is None else drive


def _friction(j: int, layout: ParameterLayout, vector: Array, kind: str, drive: Drive) -> Friction:
    """Return a joint's friction in Nm, on the motor's side where there is a gear."""
    side = "joint" if drive.gear == 1 else "motor"
    gain = float(np.exp(vector[layout.gains][j])) if kind == "current" else 1.0
    law, numbers = layout.laws[j], {}
    speeds_and_load = {layout.names[k] for k in layout.speeds} | {f"load{j + 1}"}
    for name, value in zip(PARAMETERS[law], vector[layout.friction[j]], strict=True):
        torque = value if f"{name}{j + 1}" in speeds_and_load else value / gain
        numbers[name] = float(torque) / (gear_power(name, drive.gear) if side == "motor" else 1.0)
    smoothing = layout.smoothing[j] * (abs(drive.gear) if side == "motor" else 1.0)
    pairs = tuple({**numbers, "smoothing": smoothing}.items())
    return Friction(law, pairs, side)  # type: ignore[arg-type]
