"""Joint axes as directed lines in base, and where they meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.model.arm import Arm
from armtwin.model.link import joint_steps, tool_step
from armtwin.spatial import Array

EXACT = 1e-11
"""Deviation from a structure up to which its closed form is used as it is."""
NEAR = 0.05
"""Deviation up to which it gives starts for Newton steps (sines and metres)."""
MIN_LINK = 1e-3
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

    Their points are the feet of the tool's position; joints are taken as rigid.
    """
    T, frames = np.eye(4), []
    for joint, step in zip(arm.joints, joint_steps(arm), strict=True):
        T = T @ step
        if joint.kind != "fixed":
            frames.append((T, joint.direction))
    tool = T @ tool_step(arm)
    lines = []
    for frame, direction in frames:
        z = unit(frame[:3, 2])
        along = (tool[:3, 3] - frame[:3, 3]) @ z
        lines.append(AxisLine(frame[:3, 3] + along * z, direction * z))
    return lines, tool


def meeting_point(lines: Sequence[AxisLine]) -> tuple[Array, float]:
    """Return the point nearest to some lines (least squares), and its largest distance from one.

    The distance is infinite where neighbouring lines are nearly parallel.
    """
    if min(a.sine_to(b) for a, b in zip(lines, lines[1:], strict=False)) < NEAR:
        return np.zeros(3), np.inf
    squares = [np.eye(3) - np.outer(line.direction, line.direction) for line in lines]
    right = sum(P @ line.point for P, line in zip(squares, lines, strict=True))
    point = np.asarray(np.linalg.solve(sum(squares), right), np.float64)
    return point, max(line.lever_of(point) for line in lines)


def unit(v: Array) -> Array:
    """Return the unit vector along ``v``."""
    return np.asarray(v / np.linalg.norm(v))
