"""A circle of the tool as a Fourier series of the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.kinematics.forward import fk
from armtwin.kinematics.inverse.ik import ik
from armtwin.model.arm import Arm
from armtwin.spatial import Array

POINTS = 256
"""Points for which joints are solved; a series has fewer orders than a quarter of them."""
SAME = 1e-7
"""Largest error [rad] of the series against the exact joints of the circle."""


@dataclass(frozen=True, eq=False)
class JointCircle:
    """A horizontal circle of the tool with constant orientation.

    Attributes:
        start: joint vector at its beginning (dof,).
        centre: in base (3,) [m].
        radius: [m].
        series: Fourier coefficients of the joints over the phase (dof, 1 + 2 n), as
            ``repeating_motion`` reads them.
    """

    start: Array
    centre: Array
    radius: float
    series: Array

    def deviation(self, positions: Array) -> Array:
        """Return the distance of points (n, 3) from the circle [m]."""
        off = positions - self.centre
        aside = np.hypot(off[:, 0], off[:, 1]) - self.radius
        return np.asarray(np.hypot(aside, off[:, 2]))


def circle(arm: Arm, start: Array, radius: float) -> JointCircle:
    """Return the circle that starts at a joint vector and extends towards -x.

    Args:
        arm: the arm.
        start: joint positions where the circle begins (dof,) [rad | m].
        radius: of the circle [m].

    Raises:
        InputError: a radius that is not positive, or a circle that the arm cannot follow.
        UnreachableError: points out of reach.
    """
    if not (np.isfinite(radius) and radius > 0):
        raise InputError(f"radius is {radius}; give metres above 0")
    T = fk(arm, start)
    centre = T[:3, 3] - radius * np.array([1.0, 0.0, 0.0])
    q = [np.asarray(start, np.float64)]
    for angle in 2 * np.pi * np.arange(1, POINTS + 1) / POINTS:
        T[:3, 3] = centre + radius * np.array([np.cos(angle), np.sin(angle), 0.0])
        q.append(ik(arm, T, seed=q[-1]).best)
    joints = np.array(q)
    if np.abs(joints[-1] - joints[0]).max() > 1e-6 or np.abs(np.diff(joints, axis=0)).max() > 0.2:
        raise InputError(
            f"arm {arm.name!r} cannot follow a circle of {radius:g} m from {joints[0].round(3)} "
            "without a jump; choose another start or a smaller radius"
        )
    return JointCircle(joints[0], centre, float(radius), _series(joints[:-1]))


def _series(q: Array) -> Array:
    """Return the fewest Fourier coefficients of joints (n, dof) within the allowed error."""
    parts = np.fft.rfft(q, axis=0) / len(q)
    phase = 2 * np.pi * np.arange(len(q)) / len(q)
    for orders in range(4, len(q) // 4):
        k = np.arange(1, orders + 1)
        table = np.empty((q.shape[1], 1 + 2 * orders))
        table[:, 0] = parts[0].real
        table[:, 1::2], table[:, 2::2] = 2 * parts[k].real.T, -2 * parts[k].imag.T
        waves = np.empty((len(q), 1 + 2 * orders))
        waves[:, 0] = 1.0
        waves[:, 1::2], waves[:, 2::2] = np.cos(np.outer(phase, k)), np.sin(np.outer(phase, k))
        if np.abs(waves @ table.T - q).max() < SAME:
            return table
    raise InputError("the joints' motion along this circle is too rough for a short series")
