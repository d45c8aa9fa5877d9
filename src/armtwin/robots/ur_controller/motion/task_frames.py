"""Frames in which force mode and freedrive choose their axes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from armtwin.spatial import Array

NEAREST = 0.01
"""Distance of tool and frame below which force mode of type 1 keeps its axes [m]."""
SLOWEST = 1e-3
"""Tool speed below which force mode of type 3 keeps its axes [m/s]."""


@dataclass(eq=False)
class TaskFrame:
    """A frame whose axes may follow the tool.

    Attributes:
        pose: in base (4, 4); in the tool frame if ``at_tool``.
        kind: 1: the y axis points from the tool to the frame's origin; 2: the axes stay;
            3: the x axis is the tool's velocity, projected to the frame's x-y plane.
        at_tool: whether the frame moves with the tool.
    """

    pose: Array
    kind: int = 2
    at_tool: bool = False
    _last: Array | None = field(default=None, init=False)

    def axes(self, T: Array, twist: Array) -> Array | None:
        """Return the axes (3, 3) in base, in columns; None while they are not known yet.

        Args:
            T: pose of the tool in base (4, 4).
            twist: of the tool in base (6,) [m/s, rad/s].
        """
        R = self.pose[:3, :3]
        if self.kind == 2:
            return np.asarray(T[:3, :3] @ R) if self.at_tool else R
        if self.kind == 1:
            along = self.pose[:3, 3] - T[:3, 3]
            if np.linalg.norm(along) >= NEAREST:
                self._last = _completed(along, R[:, 0], R[:, 2])
        else:
            along = twist[:3] - R[:, 2] * float(R[:, 2] @ twist[:3])
            if np.linalg.norm(along) >= SLOWEST:
                x = along / np.linalg.norm(along)
                self._last = np.column_stack([x, np.cross(R[:, 2], x), R[:, 2]])
        return self._last


def _completed(y: Array, x: Array, z: Array) -> Array:
    """Return right-handed axes in columns with this y axis and an x axis near to ``x``."""
    y = y / np.linalg.norm(y)
    side = x - y * float(x @ y)
    if np.linalg.norm(side) < 1e-3:
        side = np.cross(y, z)
    side = side / np.linalg.norm(side)
    return np.column_stack([side, y, np.cross(side, y)])


def to_base_axes(R: Array, vector: Array) -> Array:
    """Return a twist or wrench (6,), given in the axes ``R``, in base axes."""
    return np.concatenate([R @ vector[:3], R @ vector[3:]])


def to_axes(R: Array, vector: Array) -> Array:
    """Return a twist or wrench (6,), given in base axes, in the axes ``R``."""
    return np.concatenate([vector[:3] @ R, vector[3:] @ R])
