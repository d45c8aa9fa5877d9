"""Joint axes as directed lines in base, and where they meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.model.arm import Arm
from armtwin.spatial import Array

EXACT = 1e-11
"""Deviation from a structure up to which its closed form is used as it is."""
NEAR = 0.05
"""Deviation up to which it gives starts for Newton steps (sines and metres)."""
LEAST_LINK = 1e-3
"""Shorter levers between axes have no elbow [m]."""


@dataclass(frozen=True)
class AxisLine:
    """A directed line: a point on it (3,) [m] and its unit direction (3,), both in base."""

    point: Array
    direction: Array

    def nearest_to(self, other: AxisLine) -> Array:
        """Return the point of this line that is nearest to a line not parallel to it."""
        between = other.point - self.point
        cosine = self.direction @ other.direction
        along = (between @ self.direction - cosine * (between @ other.direction)) / (1 - cosine**2)
        return np.asarray(self.point + along * self.direction)

    def distance_to(self, other: AxisLine) -> float:
        """Return the distance to a line not parallel to this one."""
        normal = np.cross(self.direction, other.direction)
        return float(abs((other.point - self.point) @ normal) / np.linalg.norm(normal))

    def through_plane(self, origin: Array, normal: Array) -> Array:
        """Return where the line crosses the plane through ``origin`` with that normal."""
        along = (origin - self.point) @ normal / (self.direction @ normal)
        return np.asarray(self.point + along * self.direction)

    def across(self, v: Array) -> Array:
        """Return the part of a vector that is square to the line."""
        return np.asarray(v - (v @ self.direction) * self.direction)

    def lever_of(self, point: Array) -> float:
        """Return the distance of a point from the line."""
        return float(np.linalg.norm(self.across(point - self.point)))

    def sine_to(self, other: AxisLine) -> float:
        """Return the sine of the angle between two lines, 0 where they are parallel."""
        return float(np.linalg.norm(np.cross(self.direction, other.direction)))


def joint_lines(arm: Arm) -> tuple[list[AxisLine], Array]:
    """Return the axes of revolute joints, signed by their direction, and the tool pose, at q = 0.

    A column of the Jacobian holds ``v = z x (p_tool - point)`` and ``z``; the foot of the tool's
    position on the axis is ``p_tool + z x v``.
    """
    T, J = kernel(arm, tool_pose_equations.pose_and_jacobian)(np.zeros(arm.dof))
    lines = [
        AxisLine(T[:3, 3] + np.cross(c[3:], c[:3]), c[3:] / np.linalg.norm(c[3:])) for c in J.T
    ]
    return lines, T


def meeting_point(lines: Sequence[AxisLine]) -> tuple[Array, float]:
    """Return the point nearest to some lines (least squares), and its largest distance from one.

    The distance is infinite where neighbouring lines are nearly parallel.
    """
    if min(a.sine_to(b) for a, b in zip(lines, lines[1:], strict=False)) < NEAR:
        return np.zeros(3), np.inf
    squares = [np.eye(3) - np.outer(line.direction, line.direction) for line in lines]
    right = sum(P @ line.point for P, line in zip(squares, lines, strict=True))
    point = np.linalg.solve(sum(squares), right)
    return point, max(line.lever_of(point) for line in lines)


def unit(v: Array) -> Array:
    """Return the unit vector along ``v``."""
    return np.asarray(v / np.linalg.norm(v))
