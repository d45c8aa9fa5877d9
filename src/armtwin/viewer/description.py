"""An arm as the front end draws it: joints, frames and solids, or meshes as a GLB file."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.kinematics.inverse.structure.branch_names import side_names, singularities
from armtwin.model.appearance import generated
from armtwin.model.appearance.appearance import appearance
from armtwin.model.arm import Arm
from armtwin.model.formats.meshes.mjcf_assets import surface_colour
from armtwin.model.geometry import LinkShape, Mesh, sizes
from armtwin.model.link import rows, tail
from armtwin.motion.paths import reach
from armtwin.motion.programs.pose_warnings import NEAR_LIMIT, NEAR_SINE
from armtwin.spatial import Array, inverse

ROLES = {
    generated.HOUSING: "housing",
    generated.PIPE: "tube",
    generated.LIDS: "lid",
    generated.FOOT: "foot",
}
"""What a generated solid is for, by its colour."""
TURNED = np.eye(4), np.diag([1.0, -1.0, -1.0, 1.0])
"""A joint's frame in that of its row; z is turned round where the joint's direction is negative."""
TURN = 2 * np.pi
"""Range of a slider for a joint without limits: one turn to each side [rad]."""


def describe_arm(arm: Arm, shapes: tuple[LinkShape, ...] | None = None) -> dict[str, Any]:
    """Return what ``web/src/scene/types.ts`` calls an ``ArmDescription``, as plain data.

    Args:
        arm: the arm.
        shapes: what it is drawn with; its ``appearance`` if not given.
    """
    found = appearance(arm) if shapes is None else shapes
    meshes = has_meshes(found)
    return {
        "name": arm.name,
        "title": arm.title or arm.name,
        "joints": _joints(arm),
        "rows": len(arm.joints),
        "frame": _columns(np.array(arm.base)),
        "flange": _columns(tail(arm) @ inverse(np.array(arm.tool))),
        "tool": _columns(tail(arm)),
        "reach": round(reach(arm), 4),
        "parts": [] if meshes else [_part(shape) for shape in found],
        "meshes": meshes,
        "sides": [list(pair) for pair in side_names(arm)],
        "singularities": list(singularities(arm)),
        "near_singular": NEAR_SINE,
    }


def has_meshes(shapes: tuple[LinkShape, ...]) -> bool:
    """Return whether any of the shapes is a mesh."""
    return any(isinstance(shape.solid, Mesh) for shape in shapes)


def _joints(arm: Arm) -> list[dict[str, Any]]:
    driven = [(n, row) for n, row in enumerate(rows(arm), 1) if row.joint.kind != "fixed"]
    limits = zip(arm.lower.tolist(), arm.upper.tolist(), strict=True)
    return [
        {
            "name": row.joint.name,
            "kind": row.joint.kind,
            "lower": low if np.isfinite(low) else -TURN,
            "upper": high if np.isfinite(high) else TURN,
            "near": NEAR_LIMIT[row.joint.kind],
            "row": number,
            "axis": _columns(inverse(row.after) @ TURNED[row.joint.direction < 0]),
        }
        for (number, row), (low, high) in zip(driven, limits, strict=True)
    ]


def _part(shape: LinkShape) -> dict[str, Any]:
    colour = surface_colour(shape.material)
    own = shape.name.startswith(generated.GENERATED)
    return {
        "link": shape.link,
        "kind": type(shape.solid).__name__.removesuffix("Solid").lower(),
        "size": [round(size, 6) for size in sizes(shape.solid)],
        "pose": _columns(shape.pose),
        "colour": [round(part, 4) for part in colour],
        "role": ROLES.get(colour, "other") if own else "other",
    }


def _columns(T: Array) -> list[float]:
    """Return a matrix (4, 4) column by column, as WebGL has it."""
    return [round(value, 9) for value in T.T.reshape(-1).tolist()]
