"""The numbers of ``equations.kinematics.inverse.general_shoulder`` from an arm's joint axes."""

from __future__ import annotations

import numpy as np

from armtwin.kinematics.inverse.structure.axis_lines import MIN_LINK, NEAR, AxisLine, unit
from armtwin.spatial import Array, inverse


def shoulder_numbers(lines: list[AxisLine], centre: Array, T: Array) -> Array | None:
    """Return axes, points and vectors of the form, or None: axes 1 and 2 meet or are parallel.

    Args:
        lines: the six joint axes at q = 0.
        centre: where axes 4, 5 and 6 meet (3,).
        T: tool pose at q = 0 (4, 4).
    """
    one, two, three = lines[:3]
    if one.sine_to(two) < NEAR or one.distance_to(two) < MIN_LINK:
        return None
    h1, h2, h3 = (line.direction for line in lines[:3])
    p1, p2 = one.nearest_to(two), two.nearest_to(one)
    n = unit(two.across(h1))
    m = np.cross(h2, n)
    b, a = three.point - p2, centre - three.point
    along, gc, gs = (h3 @ a) * h3, three.across(a), np.cross(h3, a)
    square = [2 * b @ gc, 2 * b @ gs, b @ b + a @ a + 2 * b @ along]
    vectors = [centre, h1, h2, h3, p1, p2, n, m, b + along, gc, gs, square]
    numbers = [h1 @ h2, one.sine_to(two), m @ (p2 - p1)]
    return np.concatenate([inverse(T).ravel(), *vectors, numbers])
