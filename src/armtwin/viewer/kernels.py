"""The arm's equations for a page, as WebAssembly."""

from __future__ import annotations

import json
from typing import Any

from armtwin.codegen.wasm import wasm_module
from armtwin.equations.drives.drive import motor_constant_squared, required_drive
from armtwin.equations.tunable import possible_groups
from armtwin.errors import MissingDataError
from armtwin.kinematics.inverse.structure.branch_names import side_names
from armtwin.kinematics.inverse.structure.forms import exact_form
from armtwin.model.arm import Arm
from armtwin.progress import OnProgress
from armtwin.viewer.arrays import packed_bytes

GROUPS = ("geometry", "offsets", "tool", "drives", "payload")
"""Numbers of the arm that a page can change."""
POSES = ("link_poses", "coordinates", "pose_error")


def page_functions(arm: Arm) -> list[str]:
    """Return the functions that a page runs: poses for any arm, torques where it has masses."""
    names = [*POSES, *(["ik"] if exact_form(arm) is not None else [])]
    names += ["posture"] if side_names(arm) else []
    if all(joint.link.mass is not None for joint in arm.driven):
        names += ["inverse_dynamics", "plant_step"]
        drives = [joint.drive for joint in arm.driven]
        if all(drive and drive.friction for drive in drives):
            names.append("friction")
        if all(drive and drive.torque_constant for drive in drives):
            names += ["current", *(["power"] if _has_power(arm) else [])]
    return names


def _has_power(arm: Arm) -> bool:
    """Return whether the electrical power is known; an identified arm may have no resistances."""
    try:
        for joint in arm.driven:
            motor_constant_squared(arm, joint, required_drive(arm, joint, ()))
    except MissingDataError:
        return False
    return True


def page_kernels(
    arm: Arm, *, drawing_only: bool = False, on_progress: OnProgress | None = None
) -> dict[str, Any]:
    """Return the compiled equations of an arm with their manifest, as plain data.

    Args:
        arm: the arm.
        drawing_only: leave torques out.
        on_progress: called before each step.

    Raises:
        MissingDataError: the packages of the extra ``wasm`` are not installed.
    """
    groups = [group for group in GROUPS if group in possible_groups(arm)]
    names = page_functions(arm)
    if drawing_only:
        names = [name for name in names if name in (*POSES, "ik", "posture")]
        groups = [group for group in groups if group not in ("drives", "payload")]
    module = wasm_module(arm, names, parameters=groups, on_progress=on_progress)
    return {"module": packed_bytes(module.data), "manifest": json.loads(module.manifest)}
