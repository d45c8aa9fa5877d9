"""Shape of an arm for the 3-D view: bars along its geometry, in link frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.model.arm import Arm
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
        tool in the last link frame, 16 numbers by columns. ``reach`` [m].
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
        "reach": round(reach(arm), 4),
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
