r"""Curves over 0..1: the minimum-jerk polynomial, and B-splines with knots denser at both ends.

A spline is ``q(x) = sum_i c_i B_i(x)`` with control points c. Its derivatives are splines of lower
degree, whose control points are differences of c; a curve stays within the hull of its control
points, so that bounds on them are bounds on the curve at every time.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.spatial import Array

DEGREE = 4
"""Jerk is then continuous and linear in every span: bounds on its control points are exact."""
POINTS = 3
"""Gauss points per span for integrals over the curve."""


def minimum_jerk(x: Any) -> tuple[Any, Any, Any]:
    r"""Return the minimum-jerk polynomial and its first two derivatives at x in 0..1.

    .. math:: s = 10 x^3 - 15 x^4 + 6 x^5

    ``x`` is an array or a symbol, so that motions and FMU blocks have one formula.
    """
    s = x**3 * (10 - 15 * x + 6 * x**2)
    return s, 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)


@dataclass(frozen=True)
class Basis:
    """B-splines of ``degree`` over ``spans`` pieces of 0..1.

    Knots are at ``(1 - cos(pi k / spans)) / 2``, so that accelerations can rise fast at the ends.
    """

    spans: int
    degree: int = DEGREE

    @property
    def count(self) -> int:
        """Number of control points."""
        return self.spans + self.degree

    @functools.cached_property
    def breaks(self) -> Array:
        """Boundaries of the pieces, (spans + 1,)."""
        return np.asarray(0.5 - 0.5 * np.cos(np.pi * np.linspace(0, 1, self.spans + 1)))

    @functools.cached_property
    def knots(self) -> Array:
        """The breaks with both ends repeated."""
        ends = np.zeros(self.degree), np.ones(self.degree)
        return np.concatenate([ends[0], self.breaks, ends[1]])

    def values(self, x: Array, order: int = 0) -> Array:
        """Return the derivatives of some order of every spline at places x, (m, count)."""
        from scipy.interpolate import BSpline

        curve = BSpline(self.knots, np.eye(self.count), self.degree)
        return np.asarray(curve(x, nu=order))

    def controls(self, order: int) -> Array:
        """Return D (count - order, count): ``D c`` are the control points of a derivative."""
        D, knots, degree = np.eye(self.count), self.knots, self.degree
        for _ in range(order):
            width = knots[1 + degree : -1] - knots[1 : -1 - degree]
            D = degree * np.diff(D, axis=0) / width[:, None]
            knots, degree = knots[1:-1], degree - 1
        return D

    @functools.cached_property
    def quadrature(self) -> tuple[Array, Array]:
        """Places and weights of Gauss points, ``POINTS`` a span; the weights sum to 1."""
        x, w = np.polynomial.legendre.leggauss(POINTS)
        half = np.diff(self.breaks)[:, None] / 2
        middle = (self.breaks[:-1] + self.breaks[1:])[:, None] / 2
        return (middle + half * x).ravel(), (half * w).ravel()

    @functools.cached_property
    def centres(self) -> Array:
        """Greville abscissae (count,): ``c_i = f(centre_i)`` is near f for any smooth f."""
        windows = np.lib.stride_tricks.sliding_window_view(self.knots[1:-1], self.degree)
        return np.asarray(windows.mean(axis=1))
