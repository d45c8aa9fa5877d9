r"""Straight motions as splines: start of the optimiser, and the fastest of them.

A profile ``s(x)`` of control points rises from 0 to 1 with ``T`` seconds for x in 0..1. The fastest
within limits on speed, acceleration and jerk is found by bisection over T of linear programmes
``|D_1 s| <= v T, |D_2 s| <= a T^2, |D_3 s| <= j T^3``.
"""

from __future__ import annotations

import numpy as np

from armtwin.equations.optimal.spline import Basis, minimum_jerk
from armtwin.spatial import Array

HELD = 3
"""Coefficients at each end that are fixed: position, speed and acceleration of a motion at rest."""
ROUNDS = 14
"""Bisections of the time: they leave 1 / 16,384 of the first interval."""


def quintic_profile(basis: Basis) -> Array:
    """Return control points (count,) near the minimum-jerk polynomial."""
    s, _, _ = minimum_jerk(basis.centres)
    s[:HELD], s[-HELD:] = 0.0, 1.0
    return np.asarray(s)


def least_time(basis: Basis, profile: Array, rates: tuple[float, ...]) -> float:
    """Return the least time [s] in which a profile keeps its limits.

    Args:
        basis: of the spline.
        profile: control points of progress from 0 to 1 (count,).
        rates: limits on speed, acceleration and jerk of the progress [1/s, 1/s2, 1/s3].
    """
    tops = [np.abs(basis.controls(k) @ profile).max() for k in range(1, len(rates) + 1)]
    ratios = zip(tops, rates, strict=True)
    return float(max((top / rate) ** (1 / k) for k, (top, rate) in enumerate(ratios, 1)))


def fastest_profile(basis: Basis, rates: tuple[float, ...]) -> tuple[float, Array]:
    """Return the least time [s] of any profile within rates, and that profile (count,)."""
    best = quintic_profile(basis)
    high = least_time(basis, best, rates)
    low = 0.3 * high
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        found = _within(basis, rates, middle)
        if found is None:
            low = middle
        else:
            high, best = middle, found
    return high, best


def _within(basis: Basis, rates: tuple[float, ...], T: float) -> Array | None:
    from scipy.optimize import linprog

    rows, sides = [], []
    ends = np.concatenate([np.zeros(basis.count - HELD), np.ones(HELD)])
    for k, rate in enumerate(rates, 1):
        if np.isfinite(rate):
            D = basis.controls(k)
            inner, fixed = D[:, HELD:-HELD], D @ ends
            rows += [inner, -inner]
            sides += [rate * T**k - fixed, rate * T**k + fixed]
    A, b = np.vstack(rows), np.concatenate(sides)
    size = np.abs(A).max(axis=1, keepdims=True) + 1e-12
    c = np.zeros(A.shape[1])
    result = linprog(c, A_ub=A / size, b_ub=b / size[:, 0], bounds=(None, None))
    if result.status != 0:
        return None
    return np.concatenate([np.zeros(HELD), result.x, np.ones(HELD)])
