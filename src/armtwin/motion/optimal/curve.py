"""Splines of an optimal motion: their basis, their programmes, their samples."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion, grid
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.equations.optimal.minimum_energy import EnergyProblem
    from armtwin.equations.optimal.programme import Shape
    from armtwin.equations.optimal.spline import Basis

STILL = 1e-6
"""Points nearer than this are the same [rad | m]."""


def leg_basis() -> Basis:
    """Return the splines of a leg."""
    from armtwin.equations.optimal.programme import Shape
    from armtwin.equations.optimal.spline import Basis

    return Basis(Shape().spans)


@functools.lru_cache(maxsize=32)
def programme(arm: Arm, shape: Shape) -> EnergyProblem:
    """Return the programme of a shape, derived once; the last 32 are kept."""
    from armtwin.equations.optimal.minimum_energy import EnergyProblem

    return EnergyProblem(arm, shape)


def sampled(controls: Array, seconds: Array, basis: Basis, rate: float) -> Motion:
    """Return the sampled motion of splines.

    Args:
        controls: control points (legs, count, dof) [rad | m].
        seconds: duration of every leg (legs,) [s].
        basis: of the splines.
        rate: samples per second [Hz].
    """
    ends = np.cumsum(seconds)
    time = grid(float(ends[-1]), rate)
    leg = np.minimum(np.searchsorted(ends, time, "right"), len(seconds) - 1)
    parts = []
    for k, T in enumerate(seconds):
        x = np.minimum((time[leg == k] - (ends[k] - T)) / T, 1.0)
        parts.append([basis.values(x, order) @ controls[k] / T**order for order in range(3)])
    q, qd, qdd = (np.concatenate([part[order] for part in parts]) for order in range(3))
    return Motion(time, q, qd, qdd, f"least energy in {ends[-1]:.3f} s")


def as_points(arm: Arm, points: ArrayLike) -> Array:
    """Return waypoints (k, dof), k >= 2, without repeated ones.

    Raises:
        InputError: fewer than two different points, wrong shape, NaN.
        JointLimitError: a point beyond the limits.
    """
    q = as_joints(arm, points, name="points")
    if q.ndim != 2 or len(q) < 2:
        raise InputError(f"give two or more points, (k, {arm.dof}); got shape {q.shape}")
    moved = np.abs(np.diff(q, axis=0)).max(axis=1) > STILL
    if not moved.any():
        raise InputError("all points are the same: nothing to do")
    return np.asarray(q[np.concatenate([[True], moved])])
