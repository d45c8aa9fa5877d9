"""The arm's equations for a page, as WebAssembly, and the sliders that change its numbers."""

from __future__ import annotations

import json
from typing import Any

from armtwin.codegen.wasm import wasm_module
from armtwin.equations.tunable import possible_groups
from armtwin.kinematics.inverse.structure.branch_names import side_names
from armtwin.kinematics.inverse.structure.forms import exact_form
from armtwin.model.arm import Arm
from armtwin.motion.paths import reach
from armtwin.progress import OnProgress
from armtwin.viewer.arrays import packed_bytes

GROUPS = ("geometry", "offsets", "tool", "drives", "payload")
"""Numbers of the arm that a page can change."""
POSES = ("link_poses", "coordinates", "pose_error")
LENGTH = 0.01
"""Range of a link's length, as a share of the reach, to each side."""
TILT = 0.0349
"""Range of a joint's zero: 2 degrees to each side [rad]."""
LOAD = 0.3
"""Largest payload of a slider, as a share of the arm's mass."""


def page_functions(arm: Arm) -> list[str]:
    """Return the functions that a page runs: poses for any arm, torques where it has masses."""
    names = [*POSES, *(["ik"] if exact_form(arm) is not None else [])]
    names += ["posture"] if side_names(arm) else []
    if all(joint.link.mass is not None for joint in arm.driven):
        names.append("inverse_dynamics")
        drives = [joint.drive for joint in arm.driven]
        if all(drive and drive.friction for drive in drives):
            names.append("friction")
        if all(drive and drive.torque_constant for drive in drives):
            names += ["current", "power"]
    return names


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


def sliders(arm: Arm, kernels: dict[str, Any], payload: tuple[float, Any]) -> list[dict[str, Any]]:
    """Return the sliders of a page: payload, friction, link lengths, joint zeros and tool.

    Args:
        arm: the arm.
        kernels: what ``page_kernels`` returned.
        payload: mass [kg] and centre (3,) [m] that the comparison used.
    """
    known = {p["name"]: p for p in kernels["manifest"]["parameters"]}
    found = [*_payload(arm, known, payload), *_friction(known), *_geometry(arm, known)]
    return [slider for slider in found if slider["parameters"]]


def _slider(
    group: str, name: str, unit: str, span: tuple[float, float, float], parameters: list[str]
) -> dict[str, Any]:
    """Return one slider.

    Args:
        group: heading that it stands under.
        name: its label.
        unit: SI, or "%" for a factor on all its parameters.
        span: smallest, usual and largest value.
        parameters: the numbers of the arm that it sets.
    """
    low, value, high = span
    return {
        "group": group, "name": name, "unit": unit, "lower": low, "value": value, "upper": high,
        "parameters": parameters,
    }  # fmt: skip


def _payload(arm: Arm, known: dict[str, Any], payload: tuple[float, Any]) -> list[dict[str, Any]]:
    if "payload_mass" not in known:
        return []
    mass, centre = payload
    whole = sum(joint.link.mass or 0.0 for joint in arm.joints)
    top = max(_rounded(LOAD * whole), _rounded(2 * mass))
    far = _rounded(0.2 * reach(arm))
    found = [_slider("Payload", "mass", "kg", (0.0, mass, top), ["payload_mass"])]
    for axis, value in zip("xyz", centre, strict=True):
        span = (min(-far, value), float(value), max(far, value))
        found.append(_slider("Payload", f"centre {axis}", "m", span, [f"payload_{axis}"]))
    return found


def _friction(known: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one factor for every joint's friction torques; none where all of them are zero."""
    torques = [
        p["name"]
        for p in known.values()
        if p["meaning"].startswith("friction") and p["unit"] in ("N.m", "N.m.s/rad") and p["value"]
    ]
    return [_slider("Friction", "all joints", "%", (0.0, 1.0, 2.0), torques)]


def _geometry(arm: Arm, known: dict[str, Any]) -> list[dict[str, Any]]:
    span = LENGTH * reach(arm)
    lengths = [f"{name}{n}" for n in range(1, len(arm.joints) + 1) for name in ("a", "d")]
    long = [name for name in lengths if name in known and abs(known[name]["value"]) > span]
    offsets = [p["name"] for p in known.values() if p["group"] == "offsets" and p["unit"] == "rad"]
    tool = [f"tool_{axis}" for axis in "xyz" if f"tool_{axis}" in known]
    found = []
    for group, names, far in (
        ("Link lengths", long, span), ("Joint zeros", offsets, TILT), ("Tool", tool, 10 * span),
    ):  # fmt: skip
        for name in names:
            value, unit = known[name]["value"], known[name]["unit"]
            label = name.replace("offset", "joint ").replace("tool_", "")
            found.append(_slider(group, label, unit, (value - far, value, value + far), [name]))
    return found


def _rounded(value: float) -> float:
    """Return a value rounded up to one digit: 8.7 to 9."""
    if value <= 0:
        return 1.0
    size = 10.0 ** len(str(int(value))) / 10 if value >= 1 else 0.1
    return size * -(-value // size)
