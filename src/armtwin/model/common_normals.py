"""DH rows from joint axes: frames on the common normals of consecutive axes.

Frame i has its z on axis i and its x on the common normal from axis i to axis i+1, so that

    T_{i-1,i} = Rx(alpha_i) Tx(a_i) Rz(theta_i + s_i) Tz(d_i)

holds every pair of axes. Where a common normal is not unique it is chosen so that ``d`` (parallel
axes) or ``d`` and ``theta`` (one common axis) stay zero. A prismatic joint has a direction but no
place: its axis is laid through the foot of the normal before it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.model.arm import IDENTITY, Arm, Joint, as_matrix
from armtwin.model.link import ROUNDING, frames_at_zero
from armtwin.spatial import Array, from_parts, inverse

PARALLEL_SINE = 1e-8
"""Axes whose angle has a smaller sine are parallel: their common normal would be rounding."""
COINCIDENT = 1e-13
"""Parallel axes that are nearer are one line [m]: their distance is rounding."""
RIGHT_ANGLE_ROUNDING = 1e-14
"""Angles this near to a multiple of a right angle become exact [rad]: the rest is rounding."""


@dataclass(frozen=True)
class Axis:
    """A line: direction ``z`` (unit, 3) through the point ``p`` (3)."""

    z: Array
    p: Array


def modified_from_axes(arm: Arm) -> Arm:
    """Return the arm in modified DH; links keep their old frames (the caller moves them)."""
    in_base = frames_at_zero(arm)
    frame_0 = inverse(np.array(arm.base))
    axes = [Axis(T[:3, 2], T[:3, 3]) for T in (frame_0 @ at for at in in_base.joints)]
    placed = _frames_on_normals(arm.joints, axes)
    steps = [np.eye(4)]
    steps += [inverse(a) @ b for a, b in zip(placed, placed[1:], strict=False)]
    joints = tuple(_row(j, step) for j, step in zip(arm.joints, steps, strict=True))
    base = np.array(arm.base) @ placed[0]
    tool = inverse(placed[-1]) @ frame_0 @ in_base.tool
    return dataclasses.replace(
        arm,
        convention="modified-dh",
        joints=joints,
        base=as_matrix(base),
        tool=as_matrix(tool),
        home=IDENTITY,
    )


def _frames_on_normals(joints: tuple[Joint, ...], axes: list[Axis]) -> list[Array]:
    """Return one frame per axis: z on the axis, x and origin on the normal to the next one."""
    foot = axes[0].p - (axes[0].p @ axes[0].z) * axes[0].z
    x = _perpendicular(np.eye(3)[np.argmin(np.abs(axes[0].z))], axes[0].z)
    here, frames = Axis(axes[0].z, foot), []
    for joint, axis in zip(joints[1:], axes[1:], strict=True):
        there = Axis(axis.z, here.p) if joint.kind == "prismatic" else axis
        x, foot = _normal(here, there, x)
        frames.append(_frame(x, here.z, foot))
        here = Axis(there.z, there.p + ((foot - there.p) @ there.z) * there.z)
        x = _perpendicular(x, here.z)
    return [*frames, _frame(x, here.z, here.p)]


def _normal(here: Axis, there: Axis, x: Array) -> tuple[Array, Array]:
    r"""Return the direction of the common normal between two axes and its foot on ``here``.

    .. math:: n = z_1 \times z_2, \quad
              foot = p_1 + \frac{((p_2 - p_1) \times z_2) \cdot n}{n \cdot n} z_1

    Parallel axes: the normal through ``here.p``; one and the same axis: ``x``.
    """
    n, between = np.cross(here.z, there.z), there.p - here.p
    sine = float(np.linalg.norm(n))
    if sine > PARALLEL_SINE:
        foot = here.p + (np.cross(between, there.z) @ n / sine**2) * here.z
        return _perpendicular(n / sine, here.z), foot
    aside = between - (between @ here.z) * here.z
    distance = float(np.linalg.norm(aside))
    if distance > COINCIDENT:
        return _perpendicular(aside / distance, here.z), here.p
    return x, here.p


def _perpendicular(x: Array, z: Array) -> Array:
    """Return the unit vector along ``x`` less its part along ``z``."""
    across = x - (x @ z) * z
    return np.asarray(across / np.linalg.norm(across))


def _frame(x: Array, z: Array, origin: Array) -> Array:
    return from_parts(np.column_stack([x, np.cross(z, x), z]), origin)


def _row(joint: Joint, T: Array) -> Joint:
    r"""Return the joint with the DH numbers of ``T = Rx(alpha) Tx(a) Rz(theta) Tz(d)``.

    .. math:: R = \begin{bmatrix} c_\theta & -s_\theta & 0 \\ \cdot & \cdot & -s_\alpha \\
              \cdot & \cdot & c_\alpha \end{bmatrix}, \quad
              p = (a, -s_\alpha d, c_\alpha d)
    """
    R, p = T[:3, :3], T[:3, 3]
    return dataclasses.replace(
        joint,
        alpha=_angle(-R[1, 2], R[2, 2]),
        a=_length(float(p[0])),
        theta=_angle(-R[0, 1], R[0, 0]),
        d=_length(float(p @ R[:, 2])),
        screw=None,
    )


def _length(value: float) -> float:
    return 0.0 if abs(value) < ROUNDING else value


def _angle(sine: float, cosine: float) -> float:
    """Return the angle, exact where it is a multiple of a right angle to rounding."""
    angle = float(np.arctan2(sine, cosine))
    nearest = round(angle / (np.pi / 2)) * (np.pi / 2)
    return nearest if abs(angle - nearest) < RIGHT_ANGLE_ROUNDING else angle
