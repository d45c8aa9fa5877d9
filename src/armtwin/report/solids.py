"""Tubes and balls as lists of flat facets, for drawing an arm without a CAD model."""

from __future__ import annotations

import numpy as np

from armtwin.spatial import Array

SIDES = 24


def tube(start: Array, end: Array, radius: float, pieces: int = 6) -> Array:
    """Return the facets (n, 4, 3) of a tube between two points; none where they coincide."""
    axis = end - start
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.empty((0, 4, 3))
    x, y = _across(axis / length)
    angle = np.linspace(0, 2 * np.pi, SIDES + 1)
    ring = radius * (np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y)
    along = start + np.linspace(0, 1, pieces + 1)[:, None] * axis
    return _patches(along[:, None, :] + ring[None, :, :])


def ball(centre: Array, radius: float) -> Array:
    """Return the facets (n, 4, 3) of a ball."""
    polar = np.linspace(0, np.pi, SIDES // 2 + 1)[:, None]
    round_ = np.linspace(0, 2 * np.pi, SIDES + 1)[None, :]
    height = np.cos(polar) * np.ones_like(round_)
    grid = np.stack([np.sin(polar) * np.cos(round_), np.sin(polar) * np.sin(round_), height], -1)
    return _patches(centre + radius * grid)


def polyline(points: Array, radius: float) -> Array:
    """Return the facets of a thin tube through points (n, 3)."""
    pairs = zip(points[:-1], points[1:], strict=True)
    return np.concatenate([tube(a, b, radius, pieces=1) for a, b in pairs])


def brightness(facets: Array, light: Array) -> Array:
    """Return how bright each facet is (n,), 0.45 in the shade to 1 facing the light."""
    normal = np.cross(facets[:, 2] - facets[:, 0], facets[:, 3] - facets[:, 1])
    size = np.linalg.norm(normal, axis=1)
    facing = np.abs(normal @ light) / np.where(size > 0, size * np.linalg.norm(light), 1.0)
    return np.asarray(0.45 + 0.55 * facing)


def _across(z: Array) -> tuple[Array, Array]:
    """Return two unit vectors that stand across ``z`` and each other."""
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return x, np.cross(z, x)


def _patches(grid: Array) -> Array:
    """Return the quadrilaterals of a grid of points (rows, columns, 3)."""
    corners = [grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)
