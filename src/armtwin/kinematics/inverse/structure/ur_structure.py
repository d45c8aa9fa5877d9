"""Recognition of the UR structure in an arm of any convention, from its joint axes.

Six revolute joints have the closed form of ``equations.ur_inverse`` where axes 2, 3 and 4 are
parallel, 1 meets 2, 4 meets 5 and 5 meets 6, the last three pairs at right angles. A calibrated
arm deviates slightly; Newton steps start from its nearest UR form.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from armtwin.kinematics.inverse.structure.axis_lines import (
    EXACT,
    MIN_LINK,
    NEAR,
    AxisLine,
    joint_lines,
    unit,
)
from armtwin.model.arm import Arm
from armtwin.spatial import Array, from_parts, inverse


@dataclass(frozen=True, eq=False)
class URForm:
    """An arm as a UR table: ``T_base_tool(q) = base . T_UR(signs q + constants) . tool``.

    Attributes:
        dimensions: ``(d1, a2, a3, d4, d5, d6)`` [m], a2 and a3 negative, d4 and d5 not.
        signs: +1 or -1 per joint.
        constants: angles [rad] of the UR table at q = 0.
        base: pose of frame 0 in base, 4x4.
        tool: pose of the tool in the flange, 4x4.
        deviation: largest deviation from the structure, as a sine or a distance [m].
    """

    dimensions: Array
    signs: Array
    constants: Array
    base: Array
    tool: Array
    deviation: float

    @functools.cached_property
    def numbers(self) -> Array:
        """The form as ``equations.ur_joints`` reads it (50,)."""
        poses = [inverse(T).reshape(16) for T in (self.base, self.tool)]
        return np.concatenate([self.dimensions, self.signs, self.constants, *poses])

    def angles(self, q: Array) -> Array:
        """Return the UR angles of the arm's joint vectors (..., 6)."""
        return np.asarray(self.signs * q + self.constants)


def ur_form(arm: Arm) -> URForm | None:
    """Return the arm's exact UR form, or None: other axes, or joints that bend or err."""
    form = nearest_ur_form(arm)
    exact = form is not None and max(form.deviation, arm.joint_error) <= EXACT
    return form if exact else None


@functools.lru_cache(maxsize=256)
def nearest_ur_form(arm: Arm) -> URForm | None:
    """Return the UR form within a deviation of 0.05 (sines and metres), or None."""
    if arm.dof != 6 or any(joint.kind != "revolute" for joint in arm.driven):
        return None
    lines, T = joint_lines(arm)
    deviation = _deviation(lines)
    if deviation > NEAR or _link_lengths(lines) < MIN_LINK:
        return None
    return _built(lines, T, np.array(arm.base), deviation)


def _deviation(lines: list[AxisLine]) -> float:
    """Return the largest deviation: of right angles, parallel axes and intersections."""
    deviations = [0.0]
    for one, two in ((0, 1), (3, 4), (4, 5)):
        deviations.append(abs(float(lines[one].direction @ lines[two].direction)))
        if deviations[-1] > NEAR:
            return np.inf
        deviations.append(lines[one].distance_to(lines[two]))
    for one, two in ((1, 2), (1, 3)):
        deviations.append(
            float(np.linalg.norm(np.cross(lines[one].direction, lines[two].direction)))
        )
    return max(deviations)


def _link_lengths(lines: list[AxisLine]) -> float:
    """Return the shorter distance of axes 2 and 3 and of axes 3 and 4, nearly parallel ones."""
    gaps = []
    for one, two in ((1, 2), (2, 3)):
        along = lines[one].direction
        between = lines[two].point - lines[one].point
        gaps.append(float(np.linalg.norm(between - (between @ along) * along)))
    return min(gaps)


@dataclass(frozen=True, eq=False)
class _Skeleton:
    """The UR table's axes x1 ... x5 and z0 ... z5, two origins and four dimensions, at q = 0."""

    x: list[Array]
    z: list[Array]
    shoulder: Array
    wrist: Array
    sizes: tuple[float, float, float, float]


def _skeleton(lines: list[AxisLine]) -> _Skeleton:
    """Return the frames of the UR table on the axes, with exact right angles.

    ``z1 = x1 x z0``, ``z4 = x4 x z1`` and ``z5 = z4 x x5`` give the x axes; x2 and x3 point from
    elbow to shoulder and from wrist to elbow, since a2 and a3 are negative.
    """
    w = [line.direction for line in lines]
    shoulder, wrist_1, wrist = (lines[i].nearest_to(lines[i + 1]) for i in (0, 3, 4))
    z1 = _square(w[1], w[0])
    z1 = z1 * _side(float((wrist_1 - shoulder) @ z1))
    elbow, end = (lines[i].through_plane(shoulder, z1) for i in (2, 3))
    d4 = float((wrist_1 - shoulder) @ z1)
    z4 = _square(w[4], z1)
    d5 = float((wrist - end - d4 * z1) @ z4)
    z4, d5 = z4 * _side(d5), d5 * _side(d5)
    z5 = _square(w[5], z4)
    x = [np.cross(w[0], z1), unit(shoulder - elbow), unit(elbow - end)]
    x += [np.cross(z1, z4), np.cross(z5, z4)]
    a2, a3 = -float(np.linalg.norm(shoulder - elbow)), -float(np.linalg.norm(elbow - end))
    wrist = end + d4 * z1 + d5 * z4
    return _Skeleton(x, [w[0], z1, z1, z1, z4, z5], shoulder, wrist, (a2, a3, d4, d5))


def _built(lines: list[AxisLine], T: Array, base: Array, deviation: float) -> URForm:
    """Return the form, its first and last frame as near to base and tool as axes 1 and 6 allow."""
    bones = _skeleton(lines)
    z0, z5 = bones.z[0], bones.z[5]
    x0, x6 = _chosen(base[:3, 0], z0, bones.x[0]), _chosen(T[:3, 0], z5, bones.x[4])
    d1 = float((bones.shoulder - base[:3, 3]) @ z0)
    d6 = float((T[:3, 3] - bones.wrist) @ z5)
    x = [x0, *bones.x, x6]
    flange = _frame(x6, z5, bones.wrist + d6 * z5)
    sides = [float(z @ line.direction) for z, line in zip(bones.z, lines, strict=True)]
    return URForm(
        dimensions=np.array([d1, *bones.sizes, d6]),
        signs=np.array([_side(side) for side in sides]),
        constants=np.array([_angle(x[i], x[i + 1], bones.z[i]) for i in range(6)]),
        base=_frame(x0, z0, bones.shoulder - d1 * z0),
        tool=inverse(flange) @ T,
        deviation=deviation,
    )


def _frame(x: Array, z: Array, origin: Array) -> Array:
    return from_parts(np.column_stack([x, np.cross(z, x), z]), origin)


def _square(v: Array, z: Array) -> Array:
    """Return the unit vector of ``v`` less its part along ``z``."""
    return unit(v - (v @ z) * z)


def _chosen(x: Array, z: Array, otherwise: Array) -> Array:
    """Return ``x`` made square to ``z``, or ``otherwise`` where they are nearly parallel."""
    return otherwise if abs(float(x @ z)) > 0.99 else _square(x, z)


def _side(value: float) -> float:
    return -1.0 if value < -1e-12 else 1.0


def _angle(a: Array, b: Array, axis: Array) -> float:
    """Return the angle from ``a`` to ``b`` about ``axis``."""
    return float(np.arctan2(axis @ np.cross(a, b), a @ b))
