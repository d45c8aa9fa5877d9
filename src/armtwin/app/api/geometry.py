"""Shape of an arm for the 3-D view: bars along its geometry and its shapes, in link frames."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from armtwin.model.appearance.appearance import appearance
from armtwin.model.appearance.generated import GENERATED
from armtwin.model.arm import Arm
from armtwin.model.formats.meshes.glb import glb_bytes
from armtwin.model.formats.meshes.mjcf_assets import surface_colour
from armtwin.model.geometry import Mesh
from armtwin.model.link import rows, tail
from armtwin.model.shapes import Bar, bars
from armtwin.motion.paths import reach
from armtwin.spatial import Array, inverse

AXIS_LENGTH = 2.4
"""Length of a joint's cylinder in radii."""


def geometry(arm: Arm) -> dict[str, Any]:
    """Return the shape to draw.

    Returns:
        ``base``: bars in base. ``links``: for every row of the chain its bars and, where it is
        driven, the joint's axis, in the row's link frame (``link_poses``). ``tool``: pose of the
        tool in the last link frame, 16 numbers by columns. ``frame``: pose of frame 0 in base,
        likewise. ``reach`` [m]. ``version``: changes with the arm.
    """
    base, *moved = bars(arm)
    return {
        "base": [_bar(bar, np.eye(4)) for bar in base],
        "links": [
            {
                "bars": [_bar(bar, inverse(row.after)) for bar in parts],
                "axis": _axis(row.joint.kind, inverse(row.after), parts[0].radius),
            }
            for row, parts in zip(rows(arm), moved, strict=True)
        ],
        "tool": tail(arm).T.reshape(-1).tolist(),
        "frame": np.array(arm.base).T.reshape(-1).tolist(),
        "reach": round(reach(arm), 4),
        "version": f"{arm.name}-{arm.fingerprint[:12]}",
    }


def _bar(bar: Bar, T: Array) -> dict[str, Any]:
    return {
        "start": _point(T, bar.start),
        "end": _point(T, bar.end),
        "radius": bar.radius,
    }


def _axis(kind: str, T: Array, radius: float) -> dict[str, Any] | None:
    """Return the cylinder of a driven joint about its z axis."""
    if kind == "fixed":
        return None
    half = np.array([0.0, 0.0, AXIS_LENGTH / 2 * radius])
    return {"start": _point(T, -half), "end": _point(T, half), "radius": 1.08 * radius}


def _point(T: Array, point: Array) -> list[float]:
    return [round(value, 6) for value in (T[:3, :3] @ point + T[:3, 3]).tolist()]


def shapes(arm: Arm) -> dict[str, Any]:
    """Return what an arm is drawn with, without the triangles.

    Returns:
        ``links``: for the base and every row its node in the GLB file and its name. ``shapes``:
        each solid with its link, kind, colour and material. ``tool``: pose of the tool in the last
        link frame, 16 numbers by columns. ``reach`` [m].
    """
    found = appearance(arm)
    names = arm.link_names[:-1] or ("base", *[joint.name for joint in arm.joints])
    return {
        "links": [{"node": f"link_{n}", "name": name} for n, name in enumerate(names)],
        "shapes": [
            {
                "link": shape.link,
                "kind": type(shape.solid).__name__.removesuffix("Solid").lower(),
                "mesh": shape.solid.name if isinstance(shape.solid, Mesh) else None,
                "material": shape.material.name if shape.material else "",
                "colour": list(surface_colour(shape.material)),
                "generated": shape.name.startswith(GENERATED),
            }
            for shape in found
        ],
        "tool": tail(arm).T.reshape(-1).tolist(),
        "reach": round(reach(arm), 4),
    }


@functools.lru_cache(maxsize=8)
def shapes_file(arm: Arm) -> bytes:
    """Return what an arm is drawn with as a GLB file, see ``model.formats.meshes.glb``."""
    return glb_bytes(appearance(arm), len(arm.joints))
