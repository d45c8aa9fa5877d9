"""Arms that are sold, from their makers' tables, for tests and benchmarks of inverse kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.model.arm import Arm, Convention, Joint, Limits, as_matrix
from armtwin.spatial import pose

HALF = np.pi / 2
Row = tuple[float, float, float]


def _arm(
    name: str,
    convention: Convention,
    rows: list[Row],
    limits: list[Any],
    tool: np.ndarray | None = None,
) -> Arm:
    """Return an arm of rows (a, alpha, d), with a limit or a pair of limits a joint [deg]."""
    joints = []
    for number, ((a, alpha, d), limit) in enumerate(zip(rows, limits, strict=True), 1):
        lower, upper = (-limit, limit) if np.isscalar(limit) else limit
        bounds = Limits(float(np.deg2rad(lower)), float(np.deg2rad(upper)))
        joints.append(Joint(f"joint_{number}", a=a, alpha=alpha, d=d, limits=bounds))
    frame = {} if tool is None else {"tool": as_matrix(tool)}
    return Arm(name, convention, tuple(joints), **frame)


PANDA = _arm(
    "panda",
    "modified-dh",
    [(0, 0, 0.333), (0, -HALF, 0), (0, HALF, 0.316), (0.0825, HALF, 0), (-0.0825, -HALF, 0.384)]
    + [(0, HALF, 0), (0.088, HALF, 0)],
    [np.rad2deg(2.8973), np.rad2deg(1.7628), np.rad2deg(2.8973), np.rad2deg([-3.0718, -0.0698])]
    + [np.rad2deg(2.8973), np.rad2deg([-0.0175, 3.7525]), np.rad2deg(2.8973)],
    pose((0, 0, 0.107)),
)
"""Franka's own DH table (Craig's convention) and limits, flange as the tool."""
IIWA = _arm(
    "iiwa 7",
    "standard-dh",
    [(0, -HALF, 0.34), (0, HALF, 0), (0, HALF, 0.4), (0, -HALF, 0), (0, -HALF, 0.4), (0, HALF, 0)]
    + [(0, 0, 0.126)],
    [170, 120, 170, 120, 170, 120, 175],
)
KR16 = _arm(
    "kr16",
    "standard-dh",
    [(0.26, -HALF, 0.675), (0.68, 0, 0), (0.035, -HALF, 0), (0, HALF, 0.67), (0, -HALF, 0)]
    + [(0, 0, 0.158)],
    [185, (-155, 35), (-130, 154), 350, 130, 350],
)
IRB140 = _arm(
    "irb140",
    "standard-dh",
    [(0.07, -HALF, 0.352), (0.36, 0, 0), (0, -HALF, 0), (0, HALF, 0.38), (0, -HALF, 0)]
    + [(0, 0, 0.065)],
    [180, (-90, 110), (-230, 50), 200, 115, 400],
)
PUMA = _arm(
    "puma560",
    "standard-dh",
    [(0, HALF, 0.672), (0.4318, 0, 0), (0.0203, -HALF, 0.15), (0, HALF, 0.4318), (0, -HALF, 0)]
    + [(0, 0, 0)],
    [160, 110, 135, 266, 100, 266],
)
SKEWED = _arm(
    "kr16, axes 2 and 3 skew",
    "standard-dh",
    [(0.26, -HALF, 0.675), (0.68, 0.4, 0), (0.035, -HALF, 0), (0, HALF, 0.67), (0, -HALF, 0)]
    + [(0, 0, 0.158)],
    [185, (-155, 35), (-130, 154), 350, 130, 350],
)
"""Not sold: a KR 16 with axes 2 and 3 0.4 rad from parallel; joint 3 needs a quartic."""
SIX = (KR16, IRB140, PUMA)
SEVEN = (PANDA, IIWA)
