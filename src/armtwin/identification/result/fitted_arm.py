"""The identified arm: a parameter vector written back into links, drives and friction."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from armtwin.identification.estimation.presliding import Presliding


def gear_ratios(arm: Arm, options: IdentifyOptions) -> Array:
    """Return the ratio of every drive (dof,); that of the options where the arm file has none."""
    return np.array([options.gear if j.drive is None else j.drive.gear for j in arm.driven])


def known_gains(arm: Arm) -> Array:
    """Return the gains of the arm file (dof,) [A/Nm at the joint], NaN where unknown."""
    gains = []
    for constant_at_joint in torque_per_ampere(arm):
        gains.append(1 / constant_at_joint)
    return np.array(gains)


def require_gains(arm: Arm) -> None:
    """Raise MissingDataError where a current has to be predicted without a torque constant."""
    missing = [j.name for j, gain in zip(arm.driven, known_gains(arm), strict=True) if gain != gain]
    if missing:
        raise MissingDataError(
            f"arm {arm.name!r} has no torque constant for {', '.join(missing)}, and 'gains' is not "
            "among the unknowns: identify the drives first, or add them to the arm's file"
        )


def built_arm(
    arm: Arm, layout: ParameterLayout, vector: Array, kind: str, options: IdentifyOptions
) -> Arm:
    """Return the arm with the estimated parameters; everything else is unchanged.

    A payload is joined to the last link.

    Args:
        arm: the arm before.
        layout: layout of the vector.
        vector: the estimate (size,).
        kind: signal that the gains belong to: "current", "tau" or "target".
        options: which parameters were estimated.
    """
    gears, joints, number = gear_ratios(arm, options), [], 0
    for row, joint in enumerate(arm.joints):
        changes: dict[str, object] = {}
        pi = vector[10 * row : 10 * row + 10]
        if "links" in options.unknown and pi[0] > 0:
            changes["link"] = to_link(pi, joint.link)
        if joint.kind != "fixed":
            changes["drive"] = _drive(joint, number, layout, vector, kind, gears, options)
            number += 1
        joints.append(dataclasses.replace(joint, **changes))  # type: ignore[arg-type]
    if "payload" in options.unknown and vector[layout.payload][0] > 0:
        joints[-1] = _loaded(joints[-1], vector[layout.payload])
    built = arm.with_(joints=tuple(joints))
    if "mounting" in options.unknown:
        built = built.with_(gravity=tuple(vector[layout.gravity].tolist()))
    check_arm(built)
    return built


def with_presliding(arm: Arm, found: Sequence[Presliding]) -> Arm:
    """Return the arm with presliding in the friction of the joints that have it."""
    by_joint = {one.joint: one for one in found if one.distance is not None}
    joints, number = [], 0
    for joint in arm.joints:
        number += joint.kind != "fixed"
        one = by_joint.get(number) if joint.kind != "fixed" else None
        drive = joint.drive
        if one is None or one.distance is None or drive is None or drive.friction is None:
            joints.append(joint)
            continue
        gear = abs(drive.gear) if drive.friction.side == "motor" else 1.0
        numbers = dict(drive.friction.parameters)
        numbers |= {"presliding": one.distance * gear, "yield_exponent": one.exponent}
        friction = dataclasses.replace(drive.friction, parameters=tuple(numbers.items()))
        drive = dataclasses.replace(drive, friction=friction)
        joints.append(dataclasses.replace(joint, drive=drive))
    built = arm.with_(joints=tuple(joints))
    check_arm(built)
    return built


def _loaded(last: Joint, payload: Array) -> Joint:
    link = joined([last.link, to_link(payload, last.link)])
    return dataclasses.replace(last, link=dataclasses.replace(link, radius=last.link.radius))


def _drive(
    joint: Joint,
    j: int,
    layout: ParameterLayout,
    vector: Array,
    kind: str,
    gears: Array,
    options: IdentifyOptions,
) -> Drive | None:
    """Return a joint's drive with its estimated constants; None where nothing is known."""
    unknown, gear = options.unknown, float(gears[j])
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
