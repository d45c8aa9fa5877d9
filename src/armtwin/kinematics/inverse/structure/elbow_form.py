"""The numbers of ``equations.kinematics.inverse.parallel_elbow`` from an arm's joint axes."""

from __future__ import annotations

import numpy as np

from armtwin.kinematics.inverse.structure.axis_lines import EXACT, MIN_LINK, NEAR, AxisLine, unit
from armtwin.spatial import Array, inverse


def elbow_numbers(lines: list[AxisLine], centre: Array, T: Array) -> tuple[Array, float] | None:
    """Return the form and its deviation, or None where the axes are not of this structure.

    Args:
        lines: the six joint axes at q = 0.
        centre: where axes 4, 5 and 6 meet (3,).
        T: tool pose at q = 0 (4, 4).
    """
    h = [line.direction for line in lines]
    deviation = lines[1].sine_to(lines[2])
    slant = max(abs(h[3] @ h[4]), abs(h[4] @ h[5]))
    if deviation > NEAR or slant > EXACT or lines[0].sine_to(lines[1]) < NEAR:
        return None
    first, second, c_alpha, s_alpha = _frames(lines)
    link = (second.T @ (lines[2].point - lines[1].point))[:2]
    fore = (second.T @ (centre - lines[2].point))[:2]
    lengths = np.hypot(*link), np.hypot(*fore)
    if min(lengths) < MIN_LINK:
        return None
    foot = second.T @ (lines[1].point - lines[0].point)
    level = h[1] @ (centre - lines[0].point) / s_alpha
    left = second.T @ np.column_stack([h[4], np.cross(h[3], h[4]), h[3]])
    s_beta = np.hypot(left[0, 2], left[1, 2])
    gamma = np.arctan2(left[1, 2], left[0, 2]) if s_beta > EXACT else 0.0
    turned = _about_y(left[2, 2], s_beta).T @ _about_z(gamma).T @ left
    bend = np.arctan2(-np.cross(h[3], h[4]) @ h[5], h[3] @ h[5])
    at_link, at_fore = np.arctan2(link[1], link[0]), np.arctan2(fore[1], fore[0])
    rest = gamma - at_fore
    zeros = at_link, at_fore - at_link, np.arctan2(turned[1, 0], turned[0, 0]), bend
    numbers = [c_alpha, s_alpha, level, c_alpha / s_alpha, foot[0], foot[1], *lengths]
    numbers += [np.cos(rest), np.sin(rest), left[2, 2], s_beta, *zeros, np.sign(h[1] @ h[2])]
    base, wrist = np.eye(4), np.eye(4)
    base[:3, :3], base[:3, 3] = first, lines[0].point
    wrist[:3, :3] = np.column_stack([h[4], np.cross(h[5], h[4]), h[5]])
    wrist[:3, 3] = centre
    form = [inverse(base).ravel(), (inverse(T) @ wrist).ravel(), np.array(numbers)]
    return np.concatenate(form), deviation


def _frames(lines: list[AxisLine]) -> tuple[Array, Array, float, float]:
    """Return the axes of frames 1 and 2 as columns, and cosine and sine of alpha."""
    h1, h2 = lines[0].direction, lines[1].direction
    y = unit(np.cross(h1, h2))
    first = np.column_stack([np.cross(y, h1), y, h1])
    second = np.column_stack([np.cross(y, h2), y, h2])
    return first, second, float(h1 @ h2), lines[0].sine_to(lines[1])


def _about_y(c: float, s: float) -> Array:
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
