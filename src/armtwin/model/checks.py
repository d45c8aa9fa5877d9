"""Validity of an arm's numbers, for every file format."""

from __future__ import annotations

import warnings

import numpy as np

from armtwin.errors import InputError, ModelWarning
from armtwin.model.arm import Arm, Joint
from armtwin.model.drive import check_friction
from armtwin.model.geometry import check_shapes

MAX_JOINTS = 32
"""Keeps the time to derive and compile an arm's equations bounded."""


def check_arm(arm: Arm) -> None:
    """Raise InputError for impossible numbers; warn about implausible ones."""
    if not 1 <= arm.dof <= MAX_JOINTS:
        raise InputError(f"arm {arm.name!r} has {arm.dof} driven joints; 1 to {MAX_JOINTS} work")
    names = [joint.name for joint in arm.joints]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"joint names must differ; given twice: {', '.join(sorted(twice))}")
    if len(arm.link_names) not in (0, len(arm.joints) + 2):
        raise InputError(
            f"arm {arm.name!r} has {len(arm.link_names)} link names; expected "
            f"{len(arm.joints) + 2}: the base, one for each row, the tool"
        )
    check_shapes(arm.shapes, len(arm.joints))
    for number, joint in enumerate(arm.joints, 1):
        where = f"joint {number} ({joint.name})"
        _check_limits(joint, where)
        _check_compliance(joint, where)
        _check_error_curve(joint, where)
        _check_screw(joint, where)
        _check_link(joint, where)
        _check_drive(joint, where)
        _check_mimic(joint, arm, where)


def _check_limits(joint: Joint, where: str) -> None:
    lower, upper = joint.limits.lower, joint.limits.upper
    if lower is not None and upper is not None and lower > upper:
        raise InputError(f"{where}: limits.lower {lower:g} lies above limits.upper {upper:g}")
    for name in ("speed", "acceleration", "effort"):
        value = getattr(joint.limits, name)
        if value is not None and value <= 0:
            raise InputError(f"{where}: limits.{name} is {value:g}; it must be positive")


def _check_compliance(joint: Joint, where: str) -> None:
    if not 0 <= joint.compliance < np.inf:
        raise InputError(f"{where}: compliance is {joint.compliance:g} rad/Nm; give 0 or more")


def _check_error_curve(joint: Joint, where: str) -> None:
    if joint.error_curve is None:
        return
    if joint.kind != "revolute":
        raise InputError(
            f"{where}: is {joint.kind} and has an error_curve; only revolute joints have one"
        )
    joint.error_curve.check(where)


def _check_screw(joint: Joint, where: str) -> None:
    if joint.screw is None or joint.kind == "fixed":
        return
    omega, v = np.array(joint.screw[:3]), np.array(joint.screw[3:])
    main, name = (omega, "omega") if joint.kind == "revolute" else (v, "v")
    if abs(np.linalg.norm(main) - 1) > 1e-9:
        raise InputError(f"{where}: |{name}| of its screw is {np.linalg.norm(main):g}; must be 1")
    if joint.kind == "revolute" and abs(omega @ v) > 1e-9:
        raise InputError(
            f"{where}: its screw has pitch {omega @ v:g}; only pure rotations are joints"
        )
    if joint.kind == "prismatic" and omega.any():
        raise InputError(f"{where}: a prismatic screw has omega = 0, got {omega.tolist()}")


def _check_link(joint: Joint, where: str) -> None:
    link = joint.link
    if link.mass is not None and link.mass < 0:
        raise InputError(f"{where}: mass is {link.mass:g} kg; a mass cannot be negative")
    if link.inertia is None:
        return
    xx, yy, zz, xy, xz, yz = link.inertia
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if moments[0] < 0:
        raise InputError(
            f"{where}: inertia has the negative principal moment {moments[0]:.3g} kg m2"
        )
    if moments[0] + moments[1] < moments[2] * (1 - 1e-9):
        message = (
            f"{where}: principal moments {', '.join(f'{m:.3g}' for m in moments)} kg m2 violate "
            "the triangle inequality (the largest must not exceed the sum of the others): no rigid "
            "body has them; check for a misprint"
        )
        warnings.warn(message, ModelWarning, stacklevel=2)


def _check_mimic(joint: Joint, arm: Arm, where: str) -> None:
    if joint.mimic is None:
        return
    others = [one.name for one in arm.driven if one is not joint]
    if joint.mimic.joint not in others:
        raise InputError(
            f"{where}: mimics {joint.mimic.joint!r}, which is no other driven joint; there are "
            f"{', '.join(others) or 'none'}"
        )


def _check_drive(joint: Joint, where: str) -> None:
    drive = joint.drive
    if drive is None:
        return
    for name in ("gear", "torque_constant", "motor_constant", "back_emf_ratio", "resistance"):
        value = getattr(drive, name)
        if value is not None and value <= 0:
            raise InputError(f"{where}: drive.{name} is {value:g}; it must be positive")
    for name in ("motor_inertia", "reducer_inertia"):
        if getattr(drive, name) < 0:
            raise InputError(f"{where}: drive.{name} is {getattr(drive, name):g}; not negative")
    if drive.friction is not None:
        check_friction(drive.friction, where)
