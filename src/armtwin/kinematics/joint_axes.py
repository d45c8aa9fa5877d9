"""The joint axes of an arm as lines in base at q = 0, whatever convention gave them.

With the axes as unit lines, ``T_base_tool(q) = exp([S_1] q_1) ... exp([S_n] q_n) T_base_tool(0)``:
offsets, directions, base, tool and fixed rows are all contained in the lines and the pose at 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.model.arm import Arm
from armtwin.spatial import Array


@dataclass(frozen=True)
class Line:
    """A directed line: a point on it (3,) [m] and its unit direction (3,), both in base."""

    point: Array
    direction: Array

    def nearest_to(self, other: Line) -> Array:
        """Return the point of this line that is nearest to a line not parallel to it."""
        between = other.point - self.point
        cosine = self.direction @ other.direction
        along = (between @ self.direction - cosine * (between @ other.direction)) / (1 - cosine**2)
        return np.asarray(self.point + along * self.direction)

    def distance_to(self, other: Line) -> float:
        """Return the distance to a line not parallel to this one."""
        normal = np.cross(self.direction, other.direction)
        return float(abs((other.point - self.point) @ normal) / np.linalg.norm(normal))

    def through_plane(self, origin: Array, normal: Array) -> Array:
        """Return where the line crosses the plane through ``origin`` with that normal."""
        along = (origin - self.point) @ normal / (self.direction @ normal)
        return np.asarray(self.point + along * self.direction)


def joint_lines(arm: Arm) -> tuple[list[Line], Array]:
    """Return the axes of revolute joints, turned by their direction, and the tool pose, at q = 0.

    A column of the Jacobian holds ``v = z x (p_tool - point)`` and ``z``; the foot of the tool's
    position on the axis is ``p_tool + z x v``.
    """
    T, J = kernel(arm, "kinematics.pose_and_jacobian")(np.zeros(arm.dof))
    lines = [Line(T[:3, 3] + np.cross(c[3:], c[:3]), c[3:] / np.linalg.norm(c[3:])) for c in J.T]
    return lines, T
